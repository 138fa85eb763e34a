#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "support/example_file_test.h"

namespace translate::tools {
namespace {

using ::testing::HasSubstr;

class LayerNormExercise : public ExampleFileTest {};

// The explaining steps are computed beside the module; they must lead to its result.
TEST_F(LayerNormExercise, StepsLeadToTheModulesResult) {
  const std::string x = R"("X": [[1, 5, -3, 0.5], [2, 2, 2, 3]], "alpha": [1, 2, 3, 4], "bias": [0.5, 0, 0, -1],
    "epsilon": 0.25)";
  const auto alpha = at::tensor({1.0F, 2.0F, 3.0F, 4.0F});
  const auto bias = at::tensor({0.5F, 0.0F, 0.0F, -1.0F});
  const auto reference = compute(R"({"kind": "layer_norm", )" + x + "}");
  const auto centred = value_of(reference, "X") - value_of(reference, "mean");
  EXPECT_TRUE(at::allclose(value_of(reference, "normalised"), centred / (value_of(reference, "deviation") + 0.25)));
  EXPECT_TRUE(at::allclose(value_of(reference, "output"), alpha * value_of(reference, "normalised") + bias));

  const auto torch = compute(R"({"kind": "layer_norm", "layer_norm": "torch", )" + x + "}");
  EXPECT_TRUE(at::allclose(value_of(torch, "normalised"), centred / (value_of(torch, "variance") + 0.25).sqrt()));
  EXPECT_TRUE(at::allclose(value_of(torch, "output"), alpha * value_of(torch, "normalised") + bias));
}

TEST_F(LayerNormExercise, TheKindsDifferInTheirDeviation) {
  const auto reference = compute(R"({"kind": "layer_norm", "X": [[0, 2]], "epsilon": 0})");
  const auto torch = compute(R"({"kind": "layer_norm", "layer_norm": "torch", "X": [[0, 2]], "epsilon": 0})");
  EXPECT_TRUE(at::allclose(value_of(reference, "output"), at::tensor({-0.7071068F, 0.7071068F}).view({1, 2})));
  EXPECT_TRUE(at::allclose(value_of(torch, "output"), at::tensor({-1.0F, 1.0F}).view({1, 2})));
}

TEST_F(LayerNormExercise, WrongFilesAreRefusedWithTheirPlace) {
  const auto with = [&](const std::string& keys) { return complaint(R"({"kind": "layer_norm", )" + keys + "}"); };
  EXPECT_THAT(with(R"("epsilon": 0)"), HasSubstr("X: missing"));
  EXPECT_THAT(with(R"("X": [[1]])"), HasSubstr("1:29: X: expected at least 2 columns"));
  EXPECT_THAT(with(R"("X": [[1, 2]], "layer_norm": "numpy")"), HasSubstr("\"reference\" or \"rms\""));
  EXPECT_THAT(with(R"("X": [[1, 2]], "epsilon": -1)"), HasSubstr("epsilon: expected a number of at least 0"));
  EXPECT_THAT(with(R"("X": [[1, 2]], "alpha": [1])"), HasSubstr("alpha: expected 2 numbers, got 1"));
  EXPECT_THAT(with(R"("X": [[1, 2]], "bias": [[1, 2]])"), HasSubstr("bias: expected 2 numbers, got 1"));
  EXPECT_THAT(with(R"("X": [[1, 2]], "bias": 1)"), HasSubstr("bias: expected a list of 1 to 256 numbers, got 1"));
  EXPECT_THAT(with(R"("X": [[1, 2]], "claimed": {"variance": [[1]]})"), HasSubstr("torch's a variance"));
}

}  // namespace
}  // namespace translate::tools
