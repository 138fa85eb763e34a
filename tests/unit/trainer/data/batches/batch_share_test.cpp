#include "data/batches/batch_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <vector>

namespace translate::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(BatchShare, OneProcessTakesWholeBatches) {
  EXPECT_THAT(share_of_step(5, 3, {}),
              ElementsAre(BatchShare{.batch = 5}, BatchShare{.batch = 6}, BatchShare{.batch = 7}));
  EXPECT_THAT(share_of_step(5, 0, {}), IsEmpty());
}

TEST(BatchShare, AccumulatedBatchesAreDividedWhole) {
  EXPECT_THAT(share_of_step(0, 3, {.rank = 0, .size = 2}), ElementsAre(BatchShare{.batch = 0}));
  EXPECT_THAT(share_of_step(0, 3, {.rank = 1, .size = 2}), ElementsAre(BatchShare{.batch = 1}, BatchShare{.batch = 2}));
}

TEST(BatchShare, FewerBatchesThanProcessesAreCut) {
  EXPECT_THAT(share_of_step(4, 1, {.rank = 2, .size = 3}), ElementsAre(BatchShare{.batch = 4, .part = 2, .parts = 3}));
  EXPECT_THAT(share_of_step(4, 2, {.rank = 1, .size = 3}), ElementsAre(BatchShare{.batch = 4, .part = 1, .parts = 2}));
  EXPECT_THAT(share_of_step(4, 2, {.rank = 2, .size = 3}), ElementsAre(BatchShare{.batch = 5}));
}

TEST(BatchShare, ProcessesTogetherDoEachUpdateOnce) {
  for (std::size_t size = 1; size <= 9; ++size) {
    for (std::size_t count = 1; count <= 9; ++count) {
      std::map<std::size_t, std::vector<std::size_t>> parts;  // of each batch
      std::map<std::size_t, std::size_t> numbers;
      std::vector<std::size_t> shares;
      for (std::size_t rank = 0; rank < size; ++rank) {
        const auto share = share_of_step(10, count, {.rank = rank, .size = size});
        shares.push_back(share.size());
        for (const auto& [batch, part, of] : share) {
          parts[batch].push_back(part);
          numbers[batch] = of;
        }
      }
      ASSERT_EQ(parts.size(), count);
      std::vector<std::size_t> number_of_parts;
      for (const auto& [batch, found] : parts) {
        EXPECT_GE(batch, 10U);
        EXPECT_LT(batch, 10U + count);
        std::vector<std::size_t> expected(numbers[batch]);
        std::iota(expected.begin(), expected.end(), 0U);
        EXPECT_EQ(found, expected) << size << " processes, " << count << " batches, batch " << batch;
        number_of_parts.push_back(found.size());
      }
      const auto [fewest, most] = std::ranges::minmax(shares);
      EXPECT_LE(most - fewest, 1U);
      const auto [least, largest] = std::ranges::minmax(number_of_parts);
      EXPECT_LE(largest - least, 1U);
    }
  }
}

TEST(BatchShare, AnEpochIsItsUpdatesFromTheFirstBatchOn) {
  const ProcessShare second{.rank = 1, .size = 2};
  EXPECT_THAT(share_of_epoch(2, 7, 2, second), ElementsAre(BatchShare{.batch = 3}, BatchShare{.batch = 5},
                                                           BatchShare{.batch = 6, .part = 1, .parts = 2}));
}

Batch batch_of(const std::vector<std::int64_t>& lengths) {
  std::vector<Example> examples;
  for (const auto length : lengths) {
    const std::vector<std::int64_t> ids(static_cast<std::size_t>(length), 7);
    examples.push_back({.index = std::ssize(examples), .encoder_input = ids, .decoder_input = ids, .label = ids});
  }
  return collate(examples);
}

TEST(BatchShare, PartsOfABatchAreItsSentencesAboutEqualInTokens) {
  const auto batch = batch_of({9, 1, 1, 1, 1, 1, 1, 3, 3, 3, 2, 2, 2, 2, 2, 2});  // 36 tokens on each side
  for (std::size_t parts = 1; parts <= 20; ++parts) {
    std::int64_t end = 0;
    for (std::size_t part = 0; part < parts; ++part) {
      const auto [first, last] = sentences_of({.batch = 0, .part = part, .parts = parts}, batch);
      EXPECT_EQ(first, end) << part << " of " << parts;
      EXPECT_GE(last, first);
      end = last;
      const auto tokens = batch.decoder_input.sentences->offset(last) - batch.decoder_input.sentences->offset(first);
      EXPECT_LE(tokens, 36 / static_cast<std::int64_t>(parts) + 9) << part << " of " << parts;
    }
    EXPECT_EQ(end, batch.sentences());
  }
}

TEST(BatchShare, APartMayBeEmpty) {
  const auto batch = batch_of({5});
  std::int64_t sentences = 0;
  for (std::size_t part = 0; part < 3; ++part) {
    const auto [first, last] = sentences_of({.batch = 0, .part = part, .parts = 3}, batch);
    sentences += last - first;
    EXPECT_EQ(batch.slice(first, last).target_tokens(), 5 * (last - first));
  }
  EXPECT_EQ(sentences, 1);
}

}  // namespace
}  // namespace translate::trainer
