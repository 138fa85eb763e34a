#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/serialize/archive.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "data/batches/data_loader.h"

namespace translate::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::Optional;

/// The batches {4, 2}, {0}, {1, 3, 5}.
std::shared_ptr<const EpochPlan> make_plan() {
  PageBlock<std::uint32_t> pairs(6);
  std::ranges::copy(std::array{1U, 3U, 5U, 0U, 4U, 2U}, pairs.span().begin());
  std::vector<EpochPlan::Range> batches{{.begin = 4, .size = 2}, {.begin = 3, .size = 1}, {.begin = 0, .size = 3}};
  return std::make_shared<const EpochPlan>(std::move(pairs), std::move(batches), 0.0);
}

const auto kPlan = make_plan();

/// The batches of an epoch from `first` on, as one process takes them.
std::shared_ptr<const std::vector<BatchShare>> from(std::size_t first) {
  return std::make_shared<const std::vector<BatchShare>>(share_of_epoch(first, kPlan->size(), 1, {}));
}

TEST(BatchSampler, GivesPlannedBatchesWhateverSizeIsAskedFor) {
  BatchSampler sampler(kPlan, from(0));
  EXPECT_THAT(sampler.next(1), Optional(ElementsAre(4, 2)));
  EXPECT_THAT(sampler.next(100), Optional(ElementsAre(0)));
  EXPECT_THAT(sampler.next(1), Optional(ElementsAre(1, 3, 5)));
  EXPECT_THAT(sampler.next(1), Eq(std::nullopt));
}

TEST(BatchSampler, StartsAndRestartsAtTheFirstBatch) {
  BatchSampler sampler(kPlan, from(1));
  EXPECT_THAT(sampler.next(1), Optional(ElementsAre(0)));
  EXPECT_THAT(sampler.next(1), Optional(ElementsAre(1, 3, 5)));
  sampler.reset();
  EXPECT_THAT(sampler.next(1), Optional(ElementsAre(0)));
  EXPECT_THAT(BatchSampler(kPlan, from(3)).next(1), Eq(std::nullopt));
}

TEST(BatchSampler, SavesItsPlace) {
  BatchSampler sampler(kPlan, from(0));
  (void)sampler.next(1);
  (void)sampler.next(1);
  torch::serialize::OutputArchive out;
  sampler.save(out);
  std::stringstream stream;
  out.save_to(stream);
  torch::serialize::InputArchive in;
  in.load_from(stream);
  BatchSampler other(kPlan, from(0));
  other.load(in);
  EXPECT_THAT(other.next(1), Optional(ElementsAre(1, 3, 5)));
}

}  // namespace
}  // namespace translate::trainer
