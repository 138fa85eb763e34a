#include "data/corpus_mixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace translate::trainer {
namespace {

using ::testing::ElementsAre;

using Counts = std::vector<std::uint64_t>;

MixtureOptions mixture(std::vector<MixtureOptions::Corpus> corpora, double temperature = 1.0) {
  return {.corpora = std::move(corpora), .temperature = temperature};
}

std::vector<double> means(const MixtureOptions& options, const Counts& pairs) {
  return CorpusMixture(options, pairs).mean_draws();
}

TEST(MixtureOptions, AreEmptyWhereNoCorpusIsFavoured) {
  DataOptions data;
  data.train = {{"a", "b"}, {"c", "d"}};
  EXPECT_EQ(mixture_options(data), MixtureOptions());
  data.train = {{"a", "b", 2.0}, {"c", "d", 2.0}};
  EXPECT_EQ(mixture_options(data), MixtureOptions());
  data.train = {{"a", "b", 2.0}, {"c", "d", 2.0, /*continues=*/true}};
  data.sampling_temperature = 5.0;
  EXPECT_EQ(mixture_options(data), MixtureOptions());
  EXPECT_EQ(mixture_options(DataOptions()), MixtureOptions());
}

TEST(MixtureOptions, CountTheFilesOfEachCorpus) {
  DataOptions data;
  data.train = {{"a", "b", 2.0}, {"c", "d", 2.0, true}, {"e", "f"}, {"g", "h", 1.0, true}, {"i", "j"}};
  EXPECT_EQ(mixture_options(data),
            mixture({{.files = 2, .weight = 2.0}, {.files = 2, .weight = 1.0}, {.files = 1, .weight = 1.0}}));
  data.train = {{"a", "b"}, {"c", "d"}};
  data.sampling_temperature = 5.0;
  EXPECT_EQ(mixture_options(data), mixture({{}, {}}, 5.0));
}

TEST(CorpusMixture, WeightsCountForEachPair) {
  // 100 pairs that count three times, and 300: as many draws from each.
  EXPECT_THAT(means(mixture({{.weight = 3.0}, {.weight = 1.0}}), {100, 300}), ElementsAre(200.0, 200.0));
  EXPECT_THAT(means(mixture({{.files = 2, .weight = 3.0}, {.files = 1}}), {60, 40, 300}), ElementsAre(200.0, 200.0));
  EXPECT_THAT(means(mixture({{.weight = 0.5}, {.weight = 0.5}}), {10, 30}), ElementsAre(10.0, 30.0));
}

TEST(CorpusMixture, TemperatureEvensTheSizesOut) {
  // p_i in proportion to n_i^(1/T)
  const Counts pairs = {1'000'000, 10'000, 100};
  const auto draws = means(mixture({{}, {}, {}}, 5.0), pairs);
  const double sum = std::pow(1e6, 0.2) + std::pow(1e4, 0.2) + std::pow(1e2, 0.2);
  EXPECT_NEAR(draws[0], 1'010'100 * std::pow(1e6, 0.2) / sum, 0.01);
  EXPECT_NEAR(draws[1], 1'010'100 * std::pow(1e4, 0.2) / sum, 0.01);
  EXPECT_NEAR(draws[2], 1'010'100 * std::pow(1e2, 0.2) / sum, 0.01);
  const auto even = means(mixture({{}, {}, {}}, 1e9), pairs);
  EXPECT_NEAR(even[0], even[2], 0.01);
  // with weights
  const auto both = means(mixture({{}, {}, {.weight = 2.0}}, 1e9), pairs);
  EXPECT_NEAR(both[2], 2 * both[0], 0.01);
}

TEST(CorpusMixture, DrawsGoOnFromEpochToEpoch) {
  const CorpusMixture mix(mixture({{.weight = 1.0}, {.weight = 0.001}, {.weight = 5.0}}), Counts{1000, 700, 0});
  Counts ends = {0, 0, 0};
  for (std::uint64_t epoch = 0; epoch < 3000; ++epoch) {
    const auto draws = mix.draws(epoch);
    ASSERT_EQ(draws.size(), 3U);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < draws.size(); ++i) {
      EXPECT_EQ(draws[i].begin, ends[i]);
      ends[i] = draws[i].end;
      sum += draws[i].end - draws[i].begin;
    }
    EXPECT_NEAR(static_cast<double>(sum), 1700.0, 3.0);
    EXPECT_EQ(draws[1].first_pair, 1000U);
    EXPECT_EQ(draws[2].end, 0U);  // no pairs, no draws
  }
  EXPECT_NEAR(static_cast<double>(ends[1]), 3000 * 1700 * 0.7 / 1000.7, 3000.0 / 1024);
}

TEST(CorpusMixture, CountsBillionsOfPairsThroughManyEpochs) {
  const CorpusMixture mix(mixture({{.weight = 1.0}, {.weight = 3.0}}), Counts{2'000'000'000, 2'000'000'000});
  const auto draws = mix.draws(1'000'000);
  EXPECT_EQ(draws[0].begin, 1'000'000'000ULL * 1'000'000);
  EXPECT_EQ(draws[1].end - draws[1].begin, 3'000'000'000U);
}

}  // namespace
}  // namespace translate::trainer
