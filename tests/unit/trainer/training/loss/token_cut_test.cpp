#include "training/loss/token_cut.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "modules/embeddings.h"
#include "tensors/device.h"

namespace translate::trainer {
namespace {

constexpr std::array<std::int64_t, 4> kLengths = {400, 2, 1, 597};
constexpr std::int64_t kRows = 1000;

UnpaddedIds some_ids() {
  return {.ids = at::arange(5, 5 + kRows, at::kLong),
          .sentences = std::make_shared<UnpaddedLayout>(kLengths, /*length=*/600)};
}

TEST(TokenCut, TheFirstPassIsWholeAndTheSecondLacksTheGivenShare) {
  const auto input = some_ids();
  for (const double probability : {0.0, 0.05, 0.5}) {
    seed_generators(1);
    const auto twice = with_cut(input, input, probability, KeptPositions::kFirst);
    EXPECT_EQ(twice.sentences->sentences(), 8);
    const auto passes = twice.ids.chunk(2);
    EXPECT_TRUE(at::equal(passes[0], input.ids));
    const auto is_cut = passes[1].eq(kCutId);
    EXPECT_TRUE(
        at::equal(passes[1].masked_select(is_cut.logical_not()), input.ids.masked_select(is_cut.logical_not())));
    EXPECT_NEAR(is_cut.to(at::kFloat).mean().item<double>(), probability, 0.05 * (probability > 0.0));
    EXPECT_EQ(is_cut.any().item<bool>(), probability > 0.0);
  }
}

TEST(TokenCut, StartAndEndAreKept) {
  const auto input = some_ids();
  std::array<bool, 2> is_end_cut = {false, false};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const auto kept : {KeptPositions::kFirst, KeptPositions::kFirstAndLast}) {
      seed_generators(seed);
      const auto second = with_cut(input, input, 0.9, kept).ids.slice(0, kRows);
      for (std::int64_t i = 0; i < input.sentences->sentences(); ++i) {
        EXPECT_NE(second[input.sentences->offset(i)].item<std::int64_t>(), kCutId);
      }
      is_end_cut[kept == KeptPositions::kFirst ? 0 : 1] |= second[kRows - 1].item<std::int64_t>() == kCutId;
    }
  }
  EXPECT_TRUE(is_end_cut[0]);
  EXPECT_FALSE(is_end_cut[1]);
}

TEST(TokenCut, ASliceLosesWhatTheWholeBatchLosesThere) {
  const auto input = some_ids();
  seed_generators(3);
  const auto whole = with_cut(input, input, 0.3, KeptPositions::kFirstAndLast).ids.slice(0, kRows);
  seed_generators(3);
  const auto part = with_cut(input.slice(1, 4), input.slice(1, 4), 0.3, KeptPositions::kFirstAndLast).ids.slice(0, 600);
  EXPECT_TRUE(at::equal(part, whole.slice(0, 400)));
}

}  // namespace
}  // namespace translate::trainer
