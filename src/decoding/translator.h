#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "decoding/candidate_text.h"
#include "decoding/line_splitter.h"
#include "decoding/scheduling/decoding_loop.h"
#include "decoding/scheduling/line_feed.h"
#include "decoding/search/search.h"
#include "decoding/translation.h"
#include "inference/decoding_session.h"
#include "inference/linear_weights.h"
#include "text/tokenizer.h"

namespace translate {

/// How a Translator works.
struct TranslatorOptions {
  DecodingOptions decoding;            ///< limits, batch size and search
  std::int64_t max_source_length = 0;  ///< longer sentences are cut (subwords, without sos and eos)
  bool split_sentences = false;        ///< lines are translated sentence by sentence
  std::string source_language;         ///< for finding sentences: an ISO 639 code (empty: not known)
  std::int64_t max_positions = 0;      ///< that the model has, sos and eos counted (0 = no end): only scoring asks
  c10::Device device = c10::kCPU;      ///< where the model is
  Precision precision = Precision::kFp32;
  WeightFormat weights = WeightFormat::kFloat;  ///< that it keeps its weights in
  bool alignments = false;                      ///< fill in Candidate::alignment
  bool word_scores = false;                     ///< fill in Candidate::word_scores
  bool warn = true;  ///< of odd lines; off where the same lines are translated again and again
};

/// The options that a configuration gives: sources as long as training saw, and no more than a table of learned
/// positions holds. `precision` may be auto.
[[nodiscard]] TranslatorOptions translator_options(const Config& config, const c10::Device& device,
                                                   Precision precision);

/// The same limits with plain greedy search, whatever else is set: what validation uses.
[[nodiscard]] DecodingOptions greedy_options(const DecodingOptions& options);

/// A line to translate, and how its translation is to begin.
struct PrefixedLine {
  std::string text;
  std::string target_prefix;
};

/// A line and a translation of it.
struct ScoringPair {
  std::string source;
  std::string target;
};

/// Text in, text out: what validation, evaluation and inference all use.
class Translator {
 public:
  Translator(std::shared_ptr<const InferenceModel> model, Tokenizer source, Tokenizer target,
             const TranslatorOptions& options);

  /// Translates `lines`: as many translations as lines, in their order. Lines are decoded together, by length; a blank
  /// line gives an empty translation; invalid UTF-8 is read as U+FFFD. With split_sentences each sentence of a line is
  /// translated by itself; the translations are joined with the white space that stood between the sentences. A
  /// sentence longer than max_source_length is cut between sentences, else between words or subwords, and joined with
  /// spaces. Each oddity is warned of once for its line, numbered from `first_line`; with sampling, what is drawn
  /// depends on that number and the seed.
  [[nodiscard]] std::vector<Translation> translate(std::span<const std::string> lines, std::int64_t first_line = 1);

  /// The same with translations that begin as given: with the subwords of the prefix, which must be whole words. A line
  /// with a prefix is not split into sentences.
  [[nodiscard]] std::vector<Translation> translate_with_prefixes(std::span<const PrefixedLine> lines,
                                                                 std::int64_t first_line = 1);

  /// Translates lines as they come, until `source` has no more, and gives each its translation when it is done: what
  /// comes later joins what is under way (see DecodingLoop). A line gets what translate() would give it alone, as line
  /// 1; an error is that of its line.
  void translate(LineSource& source);

  /// What the model gives translations that there are: their log-probabilities, of all subwords, none of which is
  /// forbidden, and of eos. Nothing is split. A pair of two blank texts stays blank. Throws DataError where a side has
  /// more subwords than the model has positions for.
  [[nodiscard]] std::vector<Translation> score(std::span<const ScoringPair> pairs, std::int64_t first_line = 1);

 private:
  friend class LineFeed;

  [[nodiscard]] std::string readable(const std::string& text, std::int64_t line) const;
  [[nodiscard]] LineParts parts_of(const PrefixedLine& line, std::int64_t number) const;
  void warn_of_cut(const LineParts& line, std::int64_t number) const;
  void set_limit(Sentence& sentence) const;
  [[nodiscard]] Sentence scored_sentence(const ScoringPair& pair, std::int64_t line) const;
  void decode(std::span<LineParts> lines);
  void warn(const std::string& message) const;

  Tokenizer source_;
  Tokenizer target_;
  TranslatorOptions options_;
  LineSplitter splitter_;
  CandidateText text_;
  DecodingLoop loop_;
};

}  // namespace translate
