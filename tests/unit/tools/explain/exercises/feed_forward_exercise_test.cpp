#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "support/example_file_test.h"

namespace translate::tools {
namespace {

using ::testing::HasSubstr;

class FeedForwardExercise : public ExampleFileTest {};

constexpr const char* kWeights = R"("X": [[1, -1]], "W_1": [[1, 0, 2], [0, 1, 1]], "W_2": [[1, 0], [0, 1], [1, 1]])";

TEST_F(FeedForwardExercise, MatricesAreThoseOfThePaper) {
  const auto example =
      compute(R"({"kind": "feed_forward", "b_1": [0, 0, 0.5], "b_2": [10, 20], )" + std::string(kWeights) + "}");
  EXPECT_EQ(names_of(example), (std::vector<std::string>{"X", "linear_1", "inner", "output"}));
  EXPECT_TRUE(at::allclose(value_of(example, "linear_1"), at::tensor({1.0F, -1.0F, 1.5F}).view({1, 3})));
  EXPECT_TRUE(at::allclose(value_of(example, "inner"), at::tensor({1.0F, 0.0F, 1.5F}).view({1, 3})));
  EXPECT_TRUE(at::allclose(value_of(example, "output"), at::tensor({12.5F, 21.5F}).view({1, 2})));
}

TEST_F(FeedForwardExercise, OtherActivations) {
  const auto example = compute(R"({"kind": "feed_forward", "activation": "gelu", )" + std::string(kWeights) + "}");
  EXPECT_TRUE(at::allclose(value_of(example, "inner"), at::gelu(value_of(example, "linear_1"))));
  EXPECT_THAT(step_of(example, "inner").meaning, HasSubstr("gelu(linear_1)"));
}

TEST_F(FeedForwardExercise, WrongFilesAreRefusedWithTheirPlace) {
  const auto with = [&](const std::string& keys) { return complaint(R"({"kind": "feed_forward", )" + keys + "}"); };
  EXPECT_THAT(with(R"("X": [[1]])"), HasSubstr("W_1: missing"));
  EXPECT_THAT(with(R"("X": [[1]], "W_1": [[1]])"), HasSubstr("W_2: missing"));
  EXPECT_THAT(with(R"("X": [[1]], "W_1": [[1], [2]], "W_2": [[1]])"),
              HasSubstr("W_1: expected 1 row of 1, got 2 of 1"));
  EXPECT_THAT(with(R"("X": [[1]], "W_1": [[1, 2]], "W_2": [[1]])"), HasSubstr("W_2: expected 2 rows of 1"));
  EXPECT_THAT(with(R"("X": [[1]], "W_1": [[1]], "W_2": [[1]], "b_1": [1, 2])"), HasSubstr("b_1: expected 1 number"));
  EXPECT_THAT(with(R"("X": [[1]], "W_1": [[1]], "W_2": [[1]], "activation": "tanh")"),
              HasSubstr("expected \"relu\", \"gelu\" or \"swish\", got \"tanh\""));
}

}  // namespace
}  // namespace translate::tools
