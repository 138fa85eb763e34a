#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace translate {

/// One metric of an evaluation.
struct MetricResult {
  std::string name;       ///< bleu, chrf, cer or wer
  double score = 0.0;     ///< percent
  std::string signature;  ///< how it was computed; empty for the error rates
};

/// What translate-eval reports.
struct Evaluation {
  std::optional<std::string> checkpoint;  ///< its folder; nothing where existing output was scored
  std::optional<std::int64_t> step;
  std::int64_t sentences = 0;
  std::vector<MetricResult> metrics;
  double seconds = 0.0;  ///< of translating
};

/// The names of all metrics.
[[nodiscard]] std::vector<std::string> metric_names();

/// Scores hypotheses against as many references by the metrics named. Throws DataError where their numbers differ.
[[nodiscard]] std::vector<MetricResult> score(std::span<const std::string> metrics,
                                              std::span<const std::string> hypotheses,
                                              std::span<const std::string> references);

/// For people: a line a metric.
[[nodiscard]] std::string to_text(const Evaluation& evaluation);

/// For programs: one JSON object.
[[nodiscard]] std::string to_json(const Evaluation& evaluation);

}  // namespace translate
