#include "data/corpus_mixture.h"

#include <algorithm>
#include <cmath>

namespace translate::trainer {

namespace {

/// Draws are counted in these parts of one: coarse enough to hide rounding errors, fine enough for small corpora.
constexpr std::uint64_t kUnit = 1024;

/// Returns the end of the first `epochs` epochs.
std::uint64_t draws_until(std::uint64_t epochs, std::uint64_t mean) {
  return epochs * (mean / kUnit) + epochs * (mean % kUnit) / kUnit;
}

}  // namespace

MixtureOptions mixture_options(const DataOptions& data) {
  MixtureOptions options{.temperature = data.sampling_temperature};
  for (const CorpusFiles& files : data.train) {
    if (files.continues && !options.corpora.empty()) {
      ++options.corpora.back().files;
    } else {
      options.corpora.push_back({.files = 1, .weight = files.weight});
    }
  }
  const bool is_even = std::ranges::all_of(
      options.corpora, [&](const auto& corpus) { return corpus.weight == options.corpora.front().weight; });
  if (options.corpora.size() < 2 || (is_even && options.temperature == 1.0)) {
    return {};
  }
  return options;
}

CorpusMixture::CorpusMixture(const MixtureOptions& options, std::span<const std::uint64_t> pairs_of_files) {
  std::uint64_t all = 0;
  std::vector<double> parts;
  double sum = 0;
  for (const auto& corpus : options.corpora) {
    Share share{.first_pair = all};
    for (const std::uint64_t pairs : pairs_of_files.first(corpus.files)) {
      share.pairs += pairs;
    }
    pairs_of_files = pairs_of_files.subspan(corpus.files);
    const auto pairs = static_cast<double>(share.pairs);
    parts.push_back(corpus.weight * (options.temperature == 1.0 ? pairs : std::pow(pairs, 1.0 / options.temperature)));
    sum += parts.back();
    all += share.pairs;
    shares_.push_back(share);
  }
  for (std::size_t i = 0; i < shares_.size() && sum > 0; ++i) {
    shares_[i].draws =
        static_cast<std::uint64_t>(std::llround(static_cast<double>(all) * (parts[i] / sum) * double{kUnit}));
  }
}

std::vector<CorpusDraws> CorpusMixture::draws(std::uint64_t epoch) const {
  std::vector<CorpusDraws> draws;
  for (const Share& share : shares_) {
    draws.push_back({.first_pair = share.first_pair,
                     .pairs = share.pairs,
                     .begin = draws_until(epoch, share.draws),
                     .end = draws_until(epoch + 1, share.draws)});
  }
  return draws;
}

std::vector<double> CorpusMixture::mean_draws() const {
  std::vector<double> means;
  for (const Share& share : shares_) {
    means.push_back(static_cast<double>(share.draws) / double{kUnit});
  }
  return means;
}

}  // namespace translate::trainer
