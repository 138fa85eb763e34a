#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "decoding/candidate_text.h"
#include "decoding/consensus_search.h"
#include "decoding/line_encoder.h"
#include "decoding/lines_under_way.h"
#include "decoding/scheduling/decoding_scheduler.h"
#include "decoding/translation.h"
#include "inference/decoding_session.h"
#include "text/tokenizer.h"

namespace translate {

/// Returns the options for a configuration: sources as long as in training, and no longer than a table of learned
/// positions.
[[nodiscard]] TranslatorOptions translator_options(const Config& config);

/// Returns the same limits with plain greedy search, whatever else is set: the options for validation.
[[nodiscard]] DecodingOptions greedy_options(const DecodingOptions& options);

/// Translates text to text, for validation, evaluation and inference. Not thread-safe: one call at a time.
class Translator {
 public:
  Translator(std::shared_ptr<const InferenceModel> model, Tokenizer source, Tokenizer target,
             const TranslatorOptions& options);

  /// Translates `lines` and returns one translation for each, in their order. Lines are batched by length; a blank line
  /// gives an empty translation; invalid UTF-8 is read as U+FFFD. With split_sentences each sentence of a line is
  /// translated by itself; the translations are joined with the white space that separated the sentences. A sentence
  /// longer than max_source_length is cut between sentences, else between words or subwords, and joined with spaces.
  /// Each problem is warned of once for its line, numbered from `first_line`; samples depend on that number and the
  /// seed.
  [[nodiscard]] std::vector<Translation> translate(std::span<const std::string> lines, std::int64_t first_line = 1);

  /// The same for lines with a prefix, terms or marks of their own. A prefix must consist of whole words, and a line
  /// with one is not split into sentences.
  [[nodiscard]] std::vector<Translation> translate_lines(std::span<const SourceLine> lines,
                                                         std::int64_t first_line = 1);

  /// Not with TranslatorOptions::consensus: translates lines as they arrive, until `source` has no more, and gives each
  /// its translation when it is done: later lines join those being decoded (see DecodingScheduler). A line gets the
  /// result that translate() would give it alone, as line 1; an error concerns its line alone.
  void translate(LineSource& source);

  /// Scores existing translations: the log-probabilities of all subwords, none of which is forbidden, and of eos.
  /// Nothing is split. A pair of two blank texts stays blank. Throws DataError if a side has more subwords than the
  /// model has positions.
  [[nodiscard]] std::vector<Translation> score(std::span<const ScoringPair> pairs, std::int64_t first_line = 1);

 private:
  Translator(std::shared_ptr<const InferenceModel> model, const Tokenizer& source, const Tokenizer& target,
             const TranslatorOptions& options, const std::shared_ptr<const SegmentPlanner>& planner);

  void warn_of_missing_tag(const std::string& text);

  LineEncoder encoder_;
  bool warned_of_tag_ = false;
  CandidateText text_;
  std::optional<ConsensusSearch> consensus_;
  DecodingScheduler scheduler_;
};

}  // namespace translate
