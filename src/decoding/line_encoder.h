#pragma once

#include <cstdint>
#include <string>

#include "decoding/line_splitter.h"
#include "decoding/search/search.h"
#include "decoding/translation.h"
#include "text/tokenizer.h"

namespace translate {

/// Makes sentences of lines, ready to be decoded: with the subwords of the source and of a given beginning, and the
/// limit of the translation's length. What is odd about a line is warned of, unless TranslatorOptions::warn is off.
/// Thread-safe. Lines are numbered by the caller: the number stands in messages, and what is drawn depends on it.
class LineEncoder {
 public:
  LineEncoder(Tokenizer source, Tokenizer target, const TranslatorOptions& options);

  /// `text`, in which U+FFFD replaces invalid UTF-8, with a warning.
  [[nodiscard]] std::string readable(const std::string& text, std::int64_t line) const;

  /// The sentences of a line, whose text and prefix are valid UTF-8. Warns of nothing, so that lines may be encoded in
  /// parallel and warned of in their order.
  [[nodiscard]] LineParts encode(const PrefixedLine& line, std::int64_t number) const;

  /// Warns of a line that was cut because it is too long for the model.
  void warn_of_cut(const LineParts& parts, std::int64_t line) const;

  /// A pair of texts, which are valid UTF-8, as one sentence to be scored; none where both are blank. Throws DataError
  /// where a side is too long.
  [[nodiscard]] LineParts encode_pair(const ScoringPair& pair, std::int64_t line) const;

 private:
  void set_limit(Sentence& sentence) const;
  [[nodiscard]] Sentence scored_sentence(const ScoringPair& pair, std::int64_t line) const;
  void warn(const std::string& message) const;

  Tokenizer source_;
  Tokenizer target_;
  TranslatorOptions options_;
  LineSplitter splitter_;
};

}  // namespace translate
