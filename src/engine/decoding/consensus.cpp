#include "decoding/consensus.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace translate {

CandidatePool pool_candidates(std::vector<std::string> texts) {
  CandidatePool pool;
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto [found, is_new] = places.try_emplace(texts[i], pool.earliest.size());
    if (is_new) {
      pool.earliest.push_back(i);
      pool.counts.push_back(0);
    }
    ++pool.counts[found->second];
  }
  for (const auto i : pool.earliest) {
    pool.texts.push_back(std::move(texts[i]));
  }
  return pool;
}

std::vector<double> expected_utilities(const CandidatePool& pool, std::span<const double> utilities) {
  const auto size = pool.texts.size();
  const auto candidates = static_cast<double>(std::accumulate(pool.counts.begin(), pool.counts.end(), std::int64_t{0}));
  std::vector<double> expected;
  for (std::size_t i = 0; i < size; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < size; ++j) {
      sum += static_cast<double>(pool.counts[j]) * utilities[i * size + j];
    }
    expected.push_back(sum / candidates);
  }
  return expected;
}

std::size_t first_greatest(std::span<const double> values) {
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

}  // namespace translate
