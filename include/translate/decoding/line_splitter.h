#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "translate/decoding/candidate_text.h"
#include "translate/text/sentence_splitter.h"
#include "translate/text/tokenizer.h"

namespace translate {

/// The parts of a line, which are translated one by one.
struct LineParts {
  std::vector<DecodedPart> parts;  ///< with encoder input; none for a blank line
  std::int64_t longest = 0;        ///< subwords of the longest sentence that was too long for the model (0: none was)
  std::size_t bytes = 0;           ///< of a line too long to be looked at as a whole; its `longest` is a lower bound
  [[nodiscard]] bool was_cut() const { return longest > 0; }
};

/// Divides lines into the parts that a model translates: sentences, where that is asked for, and those that are too
/// long for it into parts that are not.
class LineSplitter {
 public:
  struct Options {
    bool split_sentences = false;
    std::string language;                ///< of the text, for SentenceSplitter
    std::int64_t max_source_length = 0;  ///< pieces of a part at most, without sos and eos
  };

  LineSplitter(Tokenizer source, const Options& options)
      : source_(std::move(source)), options_(options), splitter_(options.language) {}

  /// The parts of `text` (valid UTF-8), which in their order, with the separators in front, are the text but for white
  /// space around it. A text of more than most_bytes(max_source_length) is split window by window, so that memory is
  /// bounded by the text and its parts. `whole`: it is one sentence, whatever the options say. Thread-safe. Throws
  /// RuntimeError as SentenceSplitter does.
  [[nodiscard]] LineParts split(const std::string& text, bool whole) const;

 private:
  [[nodiscard]] LineParts split_long(const std::string& text, std::size_t size, bool whole) const;
  [[nodiscard]] LineParts split_window(const std::string& text, bool whole) const;
  void add(std::string text, std::string separator, LineParts& line) const;

  Tokenizer source_;
  Options options_;
  SentenceSplitter splitter_;
};

}  // namespace translate
