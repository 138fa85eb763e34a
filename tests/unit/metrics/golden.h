#pragma once

#include <cstddef>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace translate::testing {

/// tests/golden/metrics/expected.json: what sacreBLEU says (made by scripts/make-metric-golden).
inline const nlohmann::json& metric_golden() {
  static const nlohmann::json golden = [] {
    const std::string path = TRANSLATE_SOURCE_DIR "/tests/golden/metrics/expected.json";
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    return nlohmann::json::parse(file);
  }();
  return golden;
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
    if (key.rfind(prefix, 0) != 0) continue;
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
