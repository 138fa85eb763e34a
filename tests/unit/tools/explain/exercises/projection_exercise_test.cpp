#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "support/example_file_test.h"

namespace translate::tools {
namespace {

using ::testing::HasSubstr;

class ProjectionExercise : public ExampleFileTest {};

TEST_F(ProjectionExercise, RowsBecomeProbabilities) {
  const auto example = compute(R"({"kind": "projection", "X": [[1, 2], [0, 1]], "W": [[1, 0, 1], [0, 1, 1]],
    "b": [0, 0, -3]})");
  EXPECT_EQ(names_of(example), (std::vector<std::string>{"X", "logits", "log_probabilities", "probabilities"}));
  EXPECT_TRUE(at::equal(value_of(example, "logits"), at::tensor({1.0F, 2.0F, 0.0F, 0.0F, 1.0F, -2.0F}).view({2, 3})));
  const auto& probabilities = value_of(example, "probabilities");
  EXPECT_TRUE(at::allclose(probabilities.sum(-1), at::ones({2})));
  EXPECT_TRUE(at::allclose(probabilities.log(), value_of(example, "log_probabilities"), 1e-5, 1e-6));
}

TEST_F(ProjectionExercise, LogitsMayBeGiven) {
  const auto example = compute(R"({"kind": "projection", "logits": [[0.1, 2.3, 0.5]]})");
  EXPECT_TRUE(at::allclose(value_of(example, "probabilities"), at::tensor({0.08683F, 0.78364F, 0.12953F}), 0.0, 1e-5));
}

TEST_F(ProjectionExercise, WrongFilesAreRefusedWithTheirPlace) {
  const auto with = [&](const std::string& keys) { return complaint(R"({"kind": "projection", )" + keys + "}"); };
  EXPECT_THAT(with(R"("b": [1])"), HasSubstr("expected X and W (to project) or logits"));
  EXPECT_THAT(with(R"("X": [[1]])"), HasSubstr("W: missing"));
  EXPECT_THAT(with(R"("X": [[1]], "W": [[1], [2]])"), HasSubstr("W: expected 1 row, as many as X has columns, got 2"));
  EXPECT_THAT(with(R"("X": [[1]], "W": [[1, 2]], "b": [1])"), HasSubstr("b: expected 2 numbers, got 1"));
  EXPECT_THAT(with(R"("logits": [[1]], "W": [[1]])"), HasSubstr("W: logits are given, or computed"));
  EXPECT_THAT(with(R"("logits": [[1]], "claimed": {"X": [[1]]})"),
              HasSubstr("no such step (X is a step if it is given)"));
}

}  // namespace
}  // namespace translate::tools
