#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/eval/scored_text.h"
#include "metrics/significance.h"

namespace translate {

/// Another system's translations of the same sentences.
struct OtherSystem {
  std::string name;
  std::vector<std::string> hypotheses;
};

/// A system and others by one metric.
struct MetricComparison {
  /// One of the others.
  struct Other {
    double score = 0.0;
    PairedResult result;
  };

  std::string name;
  std::string label;
  std::string signature;  ///< with the test
  double score = 0.0;     ///< of the system that the others are compared with
  ConfidenceInterval interval;
  std::vector<Other> others;
};

/// A system and others by every metric.
struct Comparison {
  PairedOptions options;
  std::vector<std::string> names;  ///< of the others
  std::vector<MetricComparison> metrics;
};

/// Compares the others with the system of `text`. Throws DataError where one of them has not a hypothesis for each
/// sentence.
[[nodiscard]] Comparison compare_with(const ScoredText& text, const std::vector<OtherSystem>& others,
                                      const PairedOptions& options);

/// For people: a table for each metric.
[[nodiscard]] std::string to_text(const Comparison& comparison);

/// For programs.
[[nodiscard]] nlohmann::ordered_json to_json(const Comparison& comparison);

}  // namespace translate
