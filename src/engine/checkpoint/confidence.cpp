#include "checkpoint/confidence.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace translate {

namespace {

constexpr std::size_t kBins = 10;
constexpr std::size_t kFewestSentences = 100;

/// Returns the lower median of the sentences' chrF.
double median_chrf(const std::vector<Confidence::Sentence>& sentences) {
  std::vector<double> values;
  for (const auto& sentence : sentences) {
    values.push_back(sentence.chrf);
  }
  const auto middle = values.begin() + (std::ssize(values) - 1) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

Confidence::Bin bin_of(std::span<const Confidence::Sentence> sentences, double median) {
  const auto count = static_cast<double>(sentences.size());
  const auto good = std::ranges::count_if(sentences, [&](const auto& sentence) { return sentence.chrf >= median; });
  const auto sum = std::accumulate(sentences.begin(), sentences.end(), 0.0,
                                   [](double total, const auto& sentence) { return total + sentence.log_probability; });
  return {.log_probability = sum / count, .share = static_cast<double>(good) / count};
}

/// Neighbours whose shares fall get the mean of their shares. All bins weigh the same.
void pool_falling_shares(std::vector<Confidence::Bin>& bins) {
  struct Pool {
    double sum;
    std::size_t bins;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(bins); }
  };
  std::vector<Pool> pools;
  for (const auto& bin : bins) {
    pools.push_back({.sum = bin.share, .bins = 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const auto last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().bins += last.bins;
    }
  }
  auto bin = bins.begin();
  for (const auto& pool : pools) {
    for (std::size_t i = 0; i < pool.bins; ++i) {
      (bin++)->share = pool.mean();
    }
  }
}

}  // namespace

std::optional<Confidence> Confidence::measure(std::vector<Sentence> sentences) {
  if (sentences.size() < kFewestSentences) {
    return std::nullopt;
  }
  const double median = median_chrf(sentences);
  std::ranges::stable_sort(sentences, {}, &Sentence::log_probability);
  std::vector<Bin> bins;
  for (std::size_t i = 0; i < kBins; ++i) {
    const auto begin = sentences.size() * i / kBins;
    const auto end = sentences.size() * (i + 1) / kBins;
    bins.push_back(bin_of(std::span(sentences).subspan(begin, end - begin), median));
  }
  pool_falling_shares(bins);
  return Confidence(std::move(bins));
}

double Confidence::at(double log_probability) const {
  const auto above = std::ranges::upper_bound(bins_, log_probability, {}, &Bin::log_probability);
  if (above == bins_.begin()) {
    return bins_.front().share;
  }
  if (above == bins_.end()) {
    return bins_.back().share;
  }
  const auto& below = *(above - 1);
  const double part = (log_probability - below.log_probability) / (above->log_probability - below.log_probability);
  return below.share + part * (above->share - below.share);
}

}  // namespace translate
