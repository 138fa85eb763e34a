#include "training/training_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace translate::trainer {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TrainingOptions options_with(std::int64_t warmup_steps, std::int64_t validate_every) {
  TrainingOptions options;
  options.warmup_steps = warmup_steps;
  options.validate_every.steps = validate_every;
  return options;
}

TEST(FindWhatDoesNotFit, NamesAWarmUpOfMoreThanHalfOfTheSteps) {
  const TrainingLength length{.steps = 970.0, .steps_per_epoch = 100.0};
  EXPECT_THAT(find_what_does_not_fit(options_with(485, 500), length, /*validates=*/true), IsEmpty());
  EXPECT_THAT(find_what_does_not_fit(options_with(1000, 500), length, /*validates=*/true),
              ElementsAre(AllOf(HasSubstr("training.warmup_steps is 1000"), HasSubstr("about 970 steps fit"))));
}

TEST(FindWhatDoesNotFit, NamesAFirstValidationAfterTheEnd) {
  const TrainingLength length{.steps = 970.0, .steps_per_epoch = 2000.0};
  EXPECT_THAT(find_what_does_not_fit(options_with(10, 970), length, /*validates=*/true), IsEmpty());
  EXPECT_THAT(find_what_does_not_fit(options_with(10, 1000), length, /*validates=*/true),
              ElementsAre(AllOf(HasSubstr("training.validate_every"), HasSubstr("after 1000 steps"))));
  EXPECT_THAT(find_what_does_not_fit(options_with(10, 0), length, /*validates=*/true),
              ElementsAre(HasSubstr("after 2000 steps")));
  EXPECT_THAT(find_what_does_not_fit(options_with(10, 1000), length, /*validates=*/false), IsEmpty());
}

}  // namespace
}  // namespace translate::trainer
