#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "eval/named_metrics.h"
#include "languages/language_groups.h"
#include "metrics/bleu.h"
#include "metrics/corpus_metric.h"
#include "metrics/significance.h"

namespace translate::tools {

/// One metric of an evaluation.
struct MetricResult {
  std::string name;
  std::string label;
  ScoreScale scale = ScoreScale::kPercent;
  double score = 0.0;
  std::string signature;                            ///< the settings of the computation
  std::optional<BleuScore> bleu;                    ///< the components of BLEU; nothing for other metrics
  std::optional<ConfidenceInterval> interval = {};  ///< of the score (add_intervals)
};

/// The scores of one direction of a model with several.
struct DirectionResult {
  LanguageCodes languages;
  std::int64_t sentences = 0;
  std::vector<double> scores;  ///< by the metrics of the evaluation
};

/// BLEU of a text whose sources were changed (measure_robustness).
struct RobustnessResult {
  std::string name;   ///< plain, upper_case, title_case, lower_case, no_final_stop, typos, noise or placeholders
  std::string label;  ///< the name for people
  double bleu = 0.0;
  double loss = 0.0;                ///< what the text as it is has more, compared in the same way
  std::int64_t changed = 0;         ///< sources that the change has altered
  std::optional<double> kept = {};  ///< the share (0-1) of the translations that have what was inserted into the source
};

/// The report of translate-eval.
struct Evaluation {
  std::optional<std::string> checkpoint;  ///< its folder; nothing if existing output was scored
  std::string title;                      ///< the model's run and checkpoint, without the folders above them
  std::optional<std::int64_t> step;
  std::optional<bool> raw;  ///< whether every byte is the model's; nothing if existing output was scored
  std::int64_t sentences = 0;
  std::optional<std::int64_t> times_scored = {};  ///< in this run folder on this test set, this time included
  std::vector<MetricResult> metrics;
  std::optional<PairedOptions> resampling = {};   ///< how the metrics' intervals were made; nothing if there are none
  double seconds = 0.0;                           ///< time for translating
  std::vector<DirectionResult> directions = {};   ///< if the text has several
  std::vector<RobustnessResult> robustness = {};  ///< if it was asked for
};

/// Returns the scores of a corpus, one for each metric, from its counts and the number of references for each sentence.
[[nodiscard]] std::vector<MetricResult> score_all(const std::vector<NamedMetric>& metrics,
                                                  const std::vector<SentenceCounts>& counts, std::size_t references);

/// Adds the confidence intervals of the metrics, of bootstrap resampling (see bootstrap_intervals). A text of one
/// sentence has none: there is nothing to draw.
void add_intervals(Evaluation& evaluation, const ScoredOutput& text, const PairedOptions& options);

/// Returns an interval as text, "[45.02, 47.31]".
[[nodiscard]] std::string interval_text(const ConfidenceInterval& interval, ScoreScale scale);

/// Returns an interval as JSON: an object with its mean and its limits.
[[nodiscard]] nlohmann::ordered_json interval_json(const ConfidenceInterval& interval);

/// Returns the scores of each group of sentences.
[[nodiscard]] std::vector<DirectionResult> score_directions(const std::vector<NamedMetric>& metrics,
                                                            const std::vector<SentenceCounts>& counts,
                                                            const std::vector<LanguageGroup>& groups);

/// Returns a line for each metric, for people, with its interval; the lines below BLEU's have the brevity penalty, the
/// lengths and the n-gram precisions. Tables of the directions, if there are several, and of the robustness follow.
[[nodiscard]] std::string to_text(const Evaluation& evaluation);

/// Returns the evaluation as JSON, for programs.
[[nodiscard]] nlohmann::ordered_json to_json(const Evaluation& evaluation);

}  // namespace translate::tools
