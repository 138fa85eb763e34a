#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "eval/evaluation.h"
#include "metrics/significance.h"

namespace translate::tools {

/// Another system's translations of the same sentences.
struct OtherSystem {
  std::string name;
  std::vector<std::string> hypotheses;
};

/// The comparison of a system with others by one metric.
struct MetricComparison {
  /// The result of one other system.
  struct Other {
    double score = 0.0;
    PairedResult result;
  };

  std::string name;
  std::string label;
  ScoreScale scale = ScoreScale::kPercent;
  std::string signature;  ///< includes the significance test
  double score = 0.0;     ///< score of the system that the others are compared with
  ConfidenceInterval interval;
  std::vector<Other> others;
};

/// The comparison of a system with others by every metric.
struct Comparison {
  PairedOptions options;
  std::vector<std::string> names;  ///< names of the other systems
  std::vector<MetricComparison> metrics;
};

/// Compares the others with the system of `text`, whose results are in `results` with their intervals. Throws the
/// errors of count_all for the others.
[[nodiscard]] Comparison compare_with(const ScoredOutput& text, const std::vector<MetricResult>& results,
                                      const std::vector<OtherSystem>& others, const PairedOptions& options);

/// Returns a table for each metric, for people.
[[nodiscard]] std::string to_text(const Comparison& comparison);

/// Returns the comparison as JSON, for programs.
[[nodiscard]] nlohmann::ordered_json to_json(const Comparison& comparison);

}  // namespace translate::tools
