#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>

#include "support/example_file_test.h"

namespace translate::tools {
namespace {

using ::testing::HasSubstr;

class LossExercise : public ExampleFileTest {};

TEST_F(LossExercise, LossesComeFromTargetsAndProbabilities) {
  const auto example = compute(R"({"kind": "loss", "logits": [[1, 0, -1, 2], [0, 3, 0, 1], [2, 2, 2, 0]],
    "labels": [3, 0, 2], "smoothing": 0.2})");
  const auto& targets = value_of(example, "targets");
  EXPECT_TRUE(at::allclose(targets[0], at::tensor({0.05F, 0.05F, 0.05F, 0.85F}), 0.0, 1e-6));
  const auto losses = -(targets * value_of(example, "probabilities").log()).sum(-1, /*keepdim=*/true);
  EXPECT_TRUE(at::allclose(value_of(example, "losses"), losses, 1e-5, 1e-6));
  EXPECT_NEAR(value_of(example, "mean").item<double>(), losses.mean().item<double>(), 1e-5);
}

TEST_F(LossExercise, WithoutSmoothingTheLossIsThePlainOne) {
  const auto example = compute(R"({"kind": "loss", "logits": [[0, 0], [5, 0]], "labels": [1, 0]})");
  EXPECT_TRUE(at::allclose(value_of(example, "losses"), value_of(example, "plain")));
  EXPECT_NEAR(value_of(example, "losses")[0].item<double>(), std::log(2.0), 1e-6);
  EXPECT_TRUE(at::allclose(value_of(example, "targets"), at::tensor({0.0F, 1.0F, 1.0F, 0.0F}).view({2, 2}), 0.0, 1e-6));
}

TEST_F(LossExercise, PaddingDoesNotCount) {
  const auto padded = compute(R"({"kind": "loss", "logits": [[9, 0, 0], [1, 2, 0], [0, 9, 0]], "labels": [2, 0, 2],
    "padding": 2, "smoothing": 0.1})");
  const auto alone = compute(R"({"kind": "loss", "logits": [[1, 2, 0]], "labels": [0], "smoothing": 0.1})");
  EXPECT_NEAR(value_of(padded, "mean").item<double>(), value_of(alone, "mean").item<double>(), 1e-6);
  EXPECT_EQ(value_of(padded, "losses")[0].item<double>(), 0.0);
  EXPECT_TRUE(at::equal(value_of(padded, "targets")[2], at::zeros({3})));
  EXPECT_THAT(step_of(padded, "mean").meaning, HasSubstr("sum of losses / 1 labels that are not padding"));
}

TEST_F(LossExercise, WrongFilesAreRefusedWithTheirPlace) {
  const auto with = [&](const std::string& keys) {
    return complaint(R"({"kind": "loss", "logits": [[1, 2], [3, 4]], )" + keys + "}");
  };
  EXPECT_THAT(with(R"("smoothing": 0)"), HasSubstr("labels: missing"));
  EXPECT_THAT(with(R"("labels": [0])"), HasSubstr("labels: expected 2, one for each row of logits; got 1"));
  EXPECT_THAT(with(R"("labels": [0, 2])"), HasSubstr("1:60: labels[1]: expected an integer from 0 to 1, got 2"));
  EXPECT_THAT(with(R"("labels": [0, 1], "smoothing": 1.5)"), HasSubstr("smoothing: expected a number from 0 to 1"));
  EXPECT_THAT(with(R"("labels": [0, 1], "padding": 2)"), HasSubstr("padding: expected an integer from 0 to 1"));
  EXPECT_THAT(with(R"("labels": [0, 0], "padding": 0)"),
              HasSubstr("labels: expected at least one that is not padding"));
}

}  // namespace
}  // namespace translate::tools
