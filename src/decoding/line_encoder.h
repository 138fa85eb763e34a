#pragma once

#include <cstdint>
#include <string>

#include "decoding/line_splitter.h"
#include "decoding/search/search.h"
#include "decoding/translation.h"
#include "text/tokenizer.h"

namespace translate {

/// Converts lines to sentences that are ready to be decoded: with the subwords of the source and of a given prefix, and
/// the length limit of the translation. Warns of unusual lines, unless TranslatorOptions::warn is off. Thread-safe. The
/// caller numbers the lines: messages name the number, and sampling depends on it.
class LineEncoder {
 public:
  LineEncoder(Tokenizer source, Tokenizer target, const TranslatorOptions& options);

  /// Returns `text` with U+FFFD in place of invalid UTF-8, with a warning.
  [[nodiscard]] std::string readable(const std::string& text, std::int64_t line) const;

  /// Returns the sentences of a line, whose text and prefix are valid UTF-8. Does not warn, so that lines may be
  /// encoded in parallel and warned of in their order.
  [[nodiscard]] LineParts encode(const PrefixedLine& line, std::int64_t number) const;

  /// Warns of a line that was cut because it is too long for the model.
  void warn_of_cut(const LineParts& parts, std::int64_t line) const;

  /// Returns a pair of texts, which are valid UTF-8, as one sentence to be scored, or none if both are blank. Throws
  /// DataError if a side is too long.
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
