#include "translate/metrics/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "translate/metrics/corpus_check.h"
#include "translate/metrics/ngrams.h"
#include "translate/metrics/tokenize_13a.h"
#include "translate/metrics/words.h"

namespace translate {
namespace {

constexpr std::size_t kMaxOrder = 4;

/// Gives each distinct token a number.
class TokenNumbers {
 public:
  /// The 13a tokens of `line` as numbers. White space at its end goes first, before the rule that joins words at "-\n".
  std::vector<std::uint32_t> encode(std::string_view line) {
    std::vector<std::uint32_t> numbers;
    for (std::string& token : tokenize_13a(trim_trailing_spaces(line))) {
      const auto next = static_cast<std::uint32_t>(numbers_.size());
      numbers.push_back(numbers_.try_emplace(std::move(token), next).first->second);
    }
    return numbers;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

double brevity_penalty(std::int64_t hypothesis_length, std::int64_t reference_length) {
  if (hypothesis_length >= reference_length) return 1.0;
  if (hypothesis_length == 0) return 0.0;
  return std::exp(1.0 - static_cast<double>(reference_length) / static_cast<double>(hypothesis_length));
}

std::array<double, kMaxOrder> smoothed_precisions(const std::array<NgramCounts, kMaxOrder>& counts) {
  std::array<double, kMaxOrder> precisions{};
  const auto has_match = [](const NgramCounts& order) { return order.matches > 0; };
  if (std::none_of(counts.begin(), counts.end(), has_match)) return precisions;
  double smoothing = 1.0;
  for (std::size_t n = 0; n < kMaxOrder && counts[n].hypothesis > 0; ++n) {
    if (counts[n].matches == 0) smoothing *= 2.0;
    const double matches = counts[n].matches == 0 ? 1.0 / smoothing : static_cast<double>(counts[n].matches);
    precisions[n] = 100.0 * matches / static_cast<double>(counts[n].hypothesis);
  }
  return precisions;
}

/// 0 where any value is 0.
double geometric_mean(const std::array<double, kMaxOrder>& values) {
  double sum_of_logs = 0.0;
  for (const double value : values) sum_of_logs += std::log(value);
  return std::exp(sum_of_logs / static_cast<double>(values.size()));
}

}  // namespace

BleuScore corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references) {
  check_corpus("BLEU", hypotheses, references);
  BleuScore result;
  TokenNumbers token_numbers;
  std::array<NgramCounts, kMaxOrder> counts{};
  for (std::size_t line = 0; line < hypotheses.size(); ++line) {
    const std::vector<std::uint32_t> hypothesis = token_numbers.encode(hypotheses[line]);
    const std::vector<std::uint32_t> reference = token_numbers.encode(references[line]);
    result.hypothesis_length += static_cast<std::int64_t>(hypothesis.size());
    result.reference_length += static_cast<std::int64_t>(reference.size());
    const std::vector<NgramCounts> in_line = count_ngrams(hypothesis, reference, kMaxOrder);
    for (std::size_t n = 0; n < kMaxOrder; ++n) {
      counts[n].hypothesis += in_line[n].hypothesis;
      counts[n].reference += in_line[n].reference;
      counts[n].matches += in_line[n].matches;
    }
  }
  result.precisions = smoothed_precisions(counts);
  result.brevity_penalty = brevity_penalty(result.hypothesis_length, result.reference_length);
  result.score = result.brevity_penalty * geometric_mean(result.precisions);
  result.signature = "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" + std::string(kSacrebleuVersion);
  return result;
}

}  // namespace translate
