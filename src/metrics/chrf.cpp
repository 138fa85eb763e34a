#include "translate/metrics/chrf.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "translate/core/utf8.h"
#include "translate/metrics/corpus_check.h"
#include "translate/metrics/ngrams.h"

namespace translate {
namespace {

constexpr std::size_t kMaxOrder = 6;
constexpr double kBeta = 2.0;

std::vector<std::uint32_t> code_points_without_spaces(const std::string& line) {
  std::vector<std::uint32_t> code_points;
  code_points.reserve(line.size());
  for (const char32_t code_point : decode_utf8(line)) {
    if (!is_unicode_space(code_point)) code_points.push_back(code_point);
  }
  return code_points;
}

/// 100 * (1 + beta^2) P R / (beta^2 P + R), P and R being means over the orders that both sides have.
double f_score(const std::array<NgramCounts, kMaxOrder>& counts) {
  double precision = 0.0;
  double recall = 0.0;
  int orders = 0;
  for (const NgramCounts& order : counts) {
    if (order.hypothesis == 0 || order.reference == 0) continue;
    precision += static_cast<double>(order.matches) / static_cast<double>(order.hypothesis);
    recall += static_cast<double>(order.matches) / static_cast<double>(order.reference);
    ++orders;
  }
  if (precision + recall == 0.0) return 0.0;
  precision /= orders;
  recall /= orders;
  return 100.0 * (1.0 + kBeta * kBeta) * precision * recall / (kBeta * kBeta * precision + recall);
}

}  // namespace

ChrfScore corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> references) {
  check_corpus("chrF", hypotheses, references);
  std::array<NgramCounts, kMaxOrder> counts{};
  for (std::size_t line = 0; line < hypotheses.size(); ++line) {
    const std::vector<NgramCounts> in_line = count_ngrams(code_points_without_spaces(hypotheses[line]),
                                                          code_points_without_spaces(references[line]), kMaxOrder);
    for (std::size_t n = 0; n < kMaxOrder; ++n) {
      if (in_line[n].reference > 0) counts[n].hypothesis += in_line[n].hypothesis;
      counts[n].reference += in_line[n].reference;
      counts[n].matches += in_line[n].matches;
    }
  }
  return {f_score(counts), "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:" + std::string(kSacrebleuVersion)};
}

}  // namespace translate
