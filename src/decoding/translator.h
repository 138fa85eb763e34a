#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "decoding/candidate_text.h"
#include "decoding/line_encoder.h"
#include "decoding/line_splitter.h"
#include "decoding/scheduling/decoding_scheduler.h"
#include "decoding/scheduling/work_sources.h"
#include "decoding/translation.h"
#include "inference/decoding_session.h"
#include "text/tokenizer.h"

namespace translate {

/// The options that a configuration gives: sources as long as training saw, and no more than a table of learned
/// positions holds. `precision` may be auto.
[[nodiscard]] TranslatorOptions translator_options(const Config& config, const c10::Device& device,
                                                   Precision precision);

/// The same limits with plain greedy search, whatever else is set: what validation uses.
[[nodiscard]] DecodingOptions greedy_options(const DecodingOptions& options);

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
  /// comes later joins what is under way (see DecodingScheduler). A line gets what translate() would give it alone, as
  /// line 1; an error is that of its line.
  void translate(LineSource& source);

  /// What the model gives translations that there are: their log-probabilities, of all subwords, none of which is
  /// forbidden, and of eos. Nothing is split. A pair of two blank texts stays blank. Throws DataError where a side has
  /// more subwords than the model has positions for.
  [[nodiscard]] std::vector<Translation> score(std::span<const ScoringPair> pairs, std::int64_t first_line = 1);

 private:
  void decode(std::span<LineParts> lines);

  LineEncoder encoder_;
  CandidateText text_;
  DecodingScheduler scheduler_;
};

}  // namespace translate
