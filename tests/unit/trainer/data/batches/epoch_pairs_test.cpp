#include "data/batches/epoch_pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/random_numbers.h"
#include "data/encoded/corpus_file.h"
#include "support/temporary_folder.h"

namespace translate::trainer {
namespace {

constexpr std::uint64_t kSeed = 3;

/// Corpora of 100, 37 and 5 pairs; the second one is in two pairs of files.
class EpochPairsTest : public TemporaryFolderTest {
 protected:
  EpochPairsTest() {
    const auto path = folder_ / "pairs";
    CorpusWriter writer(path, {});
    for (std::uint32_t file = 0; file < files_.size(); ++file) {
      for (std::uint32_t line = 1; line <= files_[file]; ++line) {
        const std::vector<std::int32_t> source(1 + line % 7, 1);
        const std::vector<std::int32_t> target(1 + line % 5, 2);
        writer.append(
            {.origin = {file, line}, .source = source, .target = target, .source_text = {}, .target_text = {}});
      }
    }
    writer.finish("made up");
    const CorpusLimits limits{.source_vocabulary = 4, .target_vocabulary = 4, .corpora = files_.size(), .format = {}};
    corpus_ = std::make_unique<EncodedCorpus>(path, limits);
    const auto pairs = planned_pairs(*corpus_);
    for (const PlannedPair& pair : pairs.span()) {
      lengths_.push_back(pair.length);
    }
  }

  /// How often an epoch draws each pair.
  [[nodiscard]] std::vector<int> counts(std::uint64_t epoch, std::uint64_t seed = kSeed) const {
    std::vector<int> counts(corpus_->size(), 0);
    std::uint32_t last = 0;
    const auto pairs = epoch_pairs(*corpus_, mixture_, seed, epoch);
    for (const PlannedPair& pair : pairs.span()) {
      EXPECT_LE(last, pair.index);
      last = pair.index;
      ++counts.at(pair.index);
      EXPECT_EQ(pair.length, lengths_.at(pair.index));
    }
    return counts;
  }

  /// The smallest and the largest of the counts of a corpus.
  [[nodiscard]] static std::pair<int, int> range(const std::vector<int>& counts, std::size_t first, std::size_t size) {
    const auto begin = counts.begin() + static_cast<std::ptrdiff_t>(first);
    const auto [low, high] = std::minmax_element(begin, begin + static_cast<std::ptrdiff_t>(size));
    return {*low, *high};
  }

  const std::vector<std::uint64_t> files_ = {100, 20, 17, 5};
  std::unique_ptr<EncodedCorpus> corpus_;
  MixtureOptions mixture_{.corpora = {{.files = 1, .weight = 0.3}, {.files = 2, .weight = 1.0}, {.weight = 20.0}}};
  std::vector<PairLength> lengths_;
};

TEST_F(EpochPairsTest, WithoutAMixtureAreAllPairsOnce) {
  mixture_ = {};
  EXPECT_THAT(counts(0), ::testing::Each(1));
  EXPECT_THAT(counts(5), ::testing::Each(1));
}

TEST_F(EpochPairsTest, AFilesPairsAreCounted) { EXPECT_EQ(corpus_->pairs_of_files(), files_); }

TEST_F(EpochPairsTest, AreDrawnAsOftenAsTheMixtureSays) {
  const auto means = CorpusMixture(mixture_, files_).mean_draws();
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    const auto drawn = counts(epoch);
    const std::size_t begins[] = {0, 100, 137, 142};
    for (std::size_t i = 0; i < 3; ++i) {
      double sum = 0;
      for (std::size_t pair = begins[i]; pair < begins[i + 1]; ++pair) {
        sum += drawn[pair];
      }
      EXPECT_NEAR(sum, means[i], 1.0);
    }
  }
}

TEST_F(EpochPairsTest, NoPairComesAgainBeforeAllOthersOfItsCorpusCame) {
  std::vector<int> sums(corpus_->size(), 0);
  for (std::uint64_t epoch = 0; epoch < 50; ++epoch) {
    const auto drawn = counts(epoch);
    for (std::size_t pair = 0; pair < sums.size(); ++pair) {
      sums[pair] += drawn[pair];
    }
    for (const auto& [first, size] : {std::pair{0U, 100U}, std::pair{100U, 37U}, std::pair{137U, 5U}}) {
      const auto [low, high] = range(sums, first, size);
      EXPECT_LE(high - low, 1);
    }
  }
  EXPECT_GT(sums[0], 5);
  EXPECT_GT(sums[140], 500);
}

TEST_F(EpochPairsTest, AreAFunctionOfSeedAndEpoch) {
  EXPECT_EQ(counts(1), counts(1));
  EXPECT_NE(counts(1), counts(2));
  EXPECT_NE(counts(1), counts(1, kSeed + 1));
  // The pairs of the largest corpus that an epoch takes are not those of the next one.
  const auto first = counts(0);
  const auto second = counts(1);
  int both = 0;
  for (std::size_t pair = 0; pair < 100; ++pair) {
    both += std::min(first[pair], second[pair]);
  }
  EXPECT_EQ(both, 0);
}

TEST_F(EpochPairsTest, AreTheSameOnEveryPlatform) {
  std::uint64_t sum = 0;
  for (std::uint64_t epoch = 0; epoch < 10; ++epoch) {
    for (const int count : counts(epoch)) {
      sum = mix_seeds({sum, static_cast<std::uint64_t>(count)});
    }
  }
  EXPECT_EQ(sum, 15095612373568065931U);
}

TEST_F(EpochPairsTest, ACorpusWithoutPairsIsNotDrawn) {
  mixture_.corpora = {{.files = 3, .weight = 1.0}, {.files = 1, .weight = 4.0}};
  const auto path = folder_ / "few";
  CorpusWriter writer(path, {});
  const std::vector<std::int32_t> ids(3, 1);
  writer.append({.origin = {1, 1}, .source = ids, .target = ids, .source_text = {}, .target_text = {}});
  writer.finish("few");
  const EncodedCorpus few(path, {.source_vocabulary = 4, .target_vocabulary = 4, .corpora = 4, .format = {}});
  EXPECT_EQ(epoch_pairs(few, mixture_, kSeed, 0).size(), 1U);
}

TEST_F(EpochPairsTest, TheirTokensAreCounted) {
  const auto pairs = epoch_pairs(*corpus_, {}, kSeed, 0);
  const auto tokens = count_tokens(pairs.span());
  const auto& statistics = corpus_->statistics();
  EXPECT_EQ(tokens.source, statistics.source_subwords + std::ssize(pairs.span()));
  EXPECT_EQ(tokens.target, statistics.target_subwords + std::ssize(pairs.span()));
}

}  // namespace
}  // namespace translate::trainer
