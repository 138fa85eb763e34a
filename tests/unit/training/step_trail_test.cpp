#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "training/reporter.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Batch batch_of(std::vector<std::int64_t> indices) {
  Batch batch;
  batch.indices = std::move(indices);
  return batch;
}

std::string pair_name(std::int64_t index) { return fmt::format("train.en:{}", index); }

TEST(StepTrail, NamesTheStepThatWasRefusedAndWhatMayHelp) {
  StepTrail trail;
  trail.add(7, std::vector{batch_of({70})});
  trail.add(8, std::vector{batch_of({80, 81})});
  trail.add(9, std::vector{batch_of({90})});
  const auto message = trail.describe(
      {.number = 8, .loss = std::numeric_limits<double>::infinity(), .gradient = "encoder.norm.alpha"}, pair_name);
  EXPECT_THAT(message, HasSubstr("step 8: the loss or a gradient is not finite (loss inf, first bad gradient: "
                                 "encoder.norm.alpha). A batch of 2 pairs: train.en:80; train.en:81; the last"));
  EXPECT_THAT(message,
              AllOf(HasSubstr("training.learning_rate"), Not(HasSubstr("train.en:70")), Not(HasSubstr("train.en:90"))));
}

TEST(StepTrail, NamesAFewPairsOfAllBatchesTogether) {
  StepTrail trail;
  trail.add(1, std::vector{batch_of({10, 11}), batch_of({12, 13, 14}), batch_of({15, 16})});
  const auto message = trail.describe({.number = 1, .loss = 2.5, .gradient = ""}, pair_name);
  EXPECT_THAT(message, HasSubstr("(loss 2.5, first bad gradient: none). A batch of 2 pairs: train.en:10; train.en:11; "
                                 "A batch of 3 pairs: train.en:12; ...; A batch of 2 pairs: ...; the last"));
}

TEST(StepTrail, WithoutTheStepItTellsTheRest) {
  StepTrail trail;
  trail.add(3, std::vector{batch_of({30})});
  trail.clear();
  const auto message = trail.describe({.number = 3, .loss = 1.0, .gradient = "a"}, pair_name);
  EXPECT_THAT(message, AllOf(HasSubstr("step 3: "), Not(HasSubstr("train.en"))));
}

}  // namespace
}  // namespace translate
