#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>

#include "support/example_file_test.h"

namespace translate::tools {
namespace {

using ::testing::HasSubstr;

class LearningRateExercise : public ExampleFileTest {};

// The explaining steps are computed beside the schedule; they must lead to its result.
TEST_F(LearningRateExercise, TheSmallerOfTwoTermsIsTheRate) {
  const auto example =
      compute(R"({"kind": "learning_rate", "d_model": 64, "warmup_steps": 10, "steps": [1, 9, 10, 11, 400],
    "factor": 2})");
  const auto smaller = at::minimum(value_of(example, "decay"), value_of(example, "warm_up"));
  EXPECT_TRUE(at::allclose(value_of(example, "rate"), smaller * (2.0 / std::sqrt(64.0))));
  EXPECT_LT(value_of(example, "warm_up")[0][1].item<double>(), value_of(example, "decay")[0][1].item<double>());
  EXPECT_GT(value_of(example, "warm_up")[0][3].item<double>(), value_of(example, "decay")[0][3].item<double>());
  EXPECT_THAT(step_of(example, "rate").meaning, HasSubstr("factor * d_model^-0.5 * min(decay, warm_up), d_model = 64"));
}

TEST_F(LearningRateExercise, WrongFilesAreRefusedWithTheirPlace) {
  const auto with = [&](const std::string& keys) { return complaint(R"({"kind": "learning_rate", )" + keys + "}"); };
  EXPECT_THAT(with(R"("d_model": 8)"), HasSubstr("warmup_steps: missing"));
  EXPECT_THAT(with(R"("d_model": 8, "warmup_steps": 4)"), HasSubstr("steps: missing"));
  EXPECT_THAT(with(R"("d_model": 8, "warmup_steps": 4, "steps": [1, 0])"),
              HasSubstr("1:73: steps[1]: expected an integer from 1 to 1000000000, got 0"));
  EXPECT_THAT(with(R"("d_model": 8, "warmup_steps": 0, "steps": [1])"), HasSubstr("warmup_steps: expected an integer"));
  EXPECT_THAT(with(R"("d_model": "8", "warmup_steps": 4, "steps": [1])"), HasSubstr("d_model: expected an integer"));
}

}  // namespace
}  // namespace translate::tools
