#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/line_part.h"
#include "decoding/search/search.h"
#include "decoding/term_requirement.h"
#include "decoding/translation.h"
#include "segments/segment_plan.h"
#include "text/sentence_splitter.h"
#include "text/tokenizer.h"

namespace translate {

/// Returns the length of a text in the unit of a limit (subwords of a tokenizer).
using TextLength = std::function<std::int64_t(std::string_view)>;

/// Splits `text` (valid UTF-8) into parts of at most `max_length` each: between sentences, as `splitter` finds them, if
/// that suffices, else between words, else inside a word. The parts, without the white space between them, are the
/// whole text in order. Going from left to right, there are as few as possible (inside a word of many thousand
/// characters, about as few: the length of each part is found by binary search).
[[nodiscard]] std::vector<std::string> split_long_text(std::string_view text, std::int64_t max_length,
                                                       const SentenceSplitter& splitter, const TextLength& length);

/// The parts of a line, which are translated one by one.
struct LineParts {
  std::vector<LinePart> parts;  ///< with encoder input; none for a blank line
  std::int64_t longest = 0;   ///< subwords of the longest sentence that was too long for the model (0: there was none)
  std::size_t bytes = 0;      ///< of a line too long to be examined as a whole; its `longest` is a lower bound
  std::string leading = {};   ///< white space in front of the first part, which the translation keeps; none if raw
  std::string trailing = {};  ///< the same behind the last part
  bool is_aligned = false;    ///< Candidate::alignment is wanted
  bool is_message = false;    ///< a message of ICU's MessageFormat: parts have frames, and `trailing` ends it
  [[nodiscard]] bool was_cut() const { return longest > 0; }
};

/// Splits lines into the parts that a model translates: into sentences, if asked for, and sentences that are too long
/// for the model into shorter parts.
class LineSplitter {
 public:
  struct Options {
    bool split_sentences = false;
    std::string language;                ///< of the text, for SentenceSplitter
    std::string target_language = {};    ///< of the translation, for the plural categories of messages
    std::int64_t max_source_length = 0;  ///< maximum subwords of a part, without sos, eos and language tag
    std::string language_tag = {};       ///< of a text that does not begin with one (empty: none)
    std::shared_ptr<const SegmentPlanner> planner = nullptr;  ///< plans the parts; null: they are translated raw
  };

  LineSplitter(Tokenizer source, const Options& options)
      : source_(std::move(source)),
        options_(options),
        splitter_(options.language),
        message_numbers_(std::vector<std::string>{"#"}) {}

  /// Returns the parts of `text` (valid UTF-8). Joined in their order, with the separators in front, they are the text
  /// without the white space around it, and without sentences of which the tokenizer leaves nothing. A text of more
  /// than most_bytes(max_source_length) is split window by window, so that memory is bounded by the text and its parts.
  /// The language tag at the head of the text, or else that of the options, is at the head of the encoder input of all
  /// parts. `whole`: the text is one sentence, whatever the options say, and translated raw. `keep`: see SourceLine.
  /// `glossaries`: the plans have their terms, also of parts that are translated raw. `marks`: see SourceLine; those of
  /// a text that is split window by window, or is a message, are not looked at. Thread-safe. Throws RuntimeError as
  /// SentenceSplitter does.
  [[nodiscard]] LineParts split(const std::string& text, bool whole, const KeptTerms* keep = nullptr,
                                const Glossaries& glossaries = {}, std::span<const TextMark> marks = {}) const;

 private:
  /// How a line is taken apart.
  struct Segmentation {
    std::string_view tag;                ///< the line's language tag (empty: none)
    bool sentences;                      ///< into sentences
    bool planned;                        ///< with a plan for each part
    std::vector<const KeptTerms*> keep;  ///< terms that the plans keep, besides the planner's own (null: none)
    Glossaries glossaries;
    std::span<const TextMark> marks = {};  ///< of the line's text
  };

  [[nodiscard]] LineParts split_long(const std::string& text, const Segmentation& how, std::size_t size) const;
  [[nodiscard]] std::optional<LineParts> split_message(const std::string& text, const Segmentation& how) const;
  [[nodiscard]] LineParts split_window(const std::string& text, const Segmentation& how) const;
  void add(const std::string& text, const TextRange& sentence, std::string separator, const Segmentation& how,
           LineParts& line) const;
  void prepare(LinePart& part, std::size_t begin, const Segmentation& how) const;

  Tokenizer source_;
  Options options_;
  SentenceSplitter splitter_;
  KeptTerms message_numbers_;  ///< what stands for the number in a plural of a message
};

/// Converts lines to sentences that are ready to be decoded: with the subwords of the source and of a given prefix, and
/// the length limit of the translation. Warns of unusual lines, unless TranslatorOptions::warn is off. Thread-safe. The
/// caller numbers the lines: messages name the number, and sampling depends on it.
class LineEncoder {
 public:
  /// `planner`: plans the parts of lines; null: they are translated raw, and so are lines with a prefix.
  LineEncoder(Tokenizer source, Tokenizer target, const TranslatorOptions& options,
              const std::shared_ptr<const SegmentPlanner>& planner = nullptr);

  /// Returns `text` with U+FFFD in place of invalid UTF-8, with a warning.
  [[nodiscard]] std::string readable(const std::string& text, std::int64_t line) const;

  /// Returns the sentences of a line, whose text and prefix are valid UTF-8. Does not warn, so that lines may be
  /// encoded in parallel and warned of in their order.
  [[nodiscard]] LineParts encode(const SourceLine& line, std::int64_t number) const;

  /// Whether nothing says which language a line is to be translated into (see TranslatorOptions::missing_tag_warning).
  [[nodiscard]] bool lacks_tag(const std::string& text) const;

  /// Warns of such lines.
  void warn_of_missing_tag() const;

  /// Warns of a prefix with characters or words that the vocabulary lacks.
  void warn_of_unknown_prefix(const LineParts& parts, std::int64_t line) const;

  /// Warns of a line that was cut because it is too long for the model.
  void warn_of_cut(const LineParts& parts, std::int64_t line) const;

  /// Returns a pair of texts, which are valid UTF-8, as one sentence to be scored, or none if both are blank. Throws
  /// DataError if a side is too long.
  [[nodiscard]] LineParts encode_pair(const ScoringPair& pair, std::int64_t line) const;

 private:
  void require_terms(LinePart& part) const;
  void set_limit(std::string_view text, Sentence& sentence) const;
  [[nodiscard]] Sentence scored_sentence(const ScoringPair& pair, std::int64_t line) const;
  void warn(const std::string& message) const;

  Tokenizer source_;
  Tokenizer target_;
  TranslatorOptions options_;
  LineSplitter splitter_;
  TermRequirement requirement_;
};

}  // namespace translate
