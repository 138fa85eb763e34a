#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/file.h"
#include "metrics/corpus_metric.h"
#include "support/folders.h"

namespace translate::testing {

/// By how much a score may differ from the expected one.
inline constexpr double kTolerance = 1e-9;

inline nlohmann::json read_metric_golden(const std::string& name) {
  return nlohmann::json::parse(read_file(project_folder() / "tests/golden/metrics" / name));
}

/// tests/golden/metrics/expected.json: what sacreBLEU says (made by scripts/make-metric-golden).
inline const nlohmann::json& metric_golden() {
  static const nlohmann::json golden = read_metric_golden("expected.json");
  return golden;
}

/// tests/golden/metrics/variants.json: what it says with other settings, several references, of sentences and of tests.
inline const nlohmann::json& metric_variants() {
  static const nlohmann::json golden = read_metric_golden("variants.json");
  return golden;
}

/// The sums of a metric's counts over a corpus with one reference each.
inline std::vector<double> corpus_sums(const CorpusMetric& metric, const std::vector<std::string>& hypotheses,
                                       const std::vector<std::string>& references) {
  return SentenceCounts(metric, "metric", hypotheses, References(&references, 1)).sums();
}

inline double corpus_score(const CorpusMetric& metric, const std::vector<std::string>& hypotheses,
                           const std::vector<std::string>& references) {
  return metric.score(corpus_sums(metric, hypotheses, references));
}

/// Consecutive lines of one golden system with the scores recorded for them.
struct GoldenPart {
  std::string name;  ///< of the system, with the lines
  std::vector<std::string> hypotheses;
  std::vector<std::string> references;
  nlohmann::json scores;  ///< objects bleu, chrf, cer, wer
};

/// All recorded parts of all systems.
inline std::vector<GoldenPart> golden_parts() {
  const std::string prefix = "scores: ";
  const nlohmann::json& golden = metric_golden();
  const auto references = golden.at("references").get<std::vector<std::string>>();
  std::vector<GoldenPart> parts;
  for (const auto& [key, scores] : golden.items()) {
    if (key.rfind(prefix, 0) != 0) {
      continue;
    }
    const std::string system = key.substr(prefix.size());
    const auto hypotheses = golden.at("hypotheses: " + system).get<std::vector<std::string>>();
    for (const nlohmann::json& score : scores) {
      const auto first = score.at("first").get<std::ptrdiff_t>();
      const auto end = first + score.at("count").get<std::ptrdiff_t>();
      parts.push_back({system + ", lines " + std::to_string(first) + " to " + std::to_string(end - 1),
                       {hypotheses.begin() + first, hypotheses.begin() + end},
                       {references.begin() + first, references.begin() + end},
                       score});
    }
  }
  return parts;
}

}  // namespace translate::testing
