#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "support/example_file_test.h"

namespace translate::tools {
namespace {

using ::testing::HasSubstr;

class PositionsExercise : public ExampleFileTest {};

TEST_F(PositionsExercise, RowsAreSinesAndCosinesOfTheAngles) {
  const auto example = compute(R"({"kind": "positions", "d_model": 6, "positions": [0, 7, 3, 7]})");
  EXPECT_EQ(names_of(example), (std::vector<std::string>{"rates", "angles", "encoding"}));
  const auto& angles = value_of(example, "angles");
  const auto& encoding = value_of(example, "encoding");
  EXPECT_TRUE(at::allclose(value_of(example, "rates"), at::tensor({1.0, 0.0464159, 0.00215443}).to(at::kFloat)));
  for (std::int64_t pair = 0; pair < 3; ++pair) {
    EXPECT_TRUE(at::allclose(encoding.select(1, 2 * pair), angles.select(1, pair).sin()));
    EXPECT_TRUE(at::allclose(encoding.select(1, 2 * pair + 1), angles.select(1, pair).cos()));
  }
  EXPECT_TRUE(at::equal(encoding[1], encoding[3]));  // the same position
}

TEST_F(PositionsExercise, PositionZeroAddsOnesToEveryOtherColumn) {
  const auto example = compute(R"({"kind": "positions", "d_model": 4, "positions": [0], "X": [[1, 2, 3, 4]]})");
  EXPECT_TRUE(at::equal(value_of(example, "output"), at::tensor({1.0F, 3.0F, 3.0F, 5.0F}).view({1, 4})));
}

TEST_F(PositionsExercise, LayoutAndFrequenciesAreThoseOfAModel) {
  const auto example = compute(R"({"kind": "positions", "d_model": 4, "positions": [1], "layout": "halves",
    "frequencies": "tensor2tensor"})");
  // rates 1 and 1/10000, first both sines
  EXPECT_TRUE(
      at::allclose(value_of(example, "encoding"), at::tensor({0.841471, 0.0001, 0.540302, 1.0}).to(at::kFloat)));
}

TEST_F(PositionsExercise, WrongFilesAreRefusedWithTheirPlace) {
  const auto with = [&](const std::string& keys) { return complaint(R"({"kind": "positions", )" + keys + "}"); };
  EXPECT_THAT(with(R"("positions": [0])"), HasSubstr("d_model: missing"));
  EXPECT_THAT(with(R"("d_model": 4)"), HasSubstr("positions: missing"));
  EXPECT_THAT(with(R"("d_model": 3, "positions": [0])"), HasSubstr("1:34: d_model: expected an even number"));
  EXPECT_THAT(with(R"("d_model": 258, "positions": [0])"), HasSubstr("an integer from 2 to 256, got 258"));
  EXPECT_THAT(with(R"("d_model": 4, "positions": [0, 10000])"), HasSubstr("positions[1]: expected an integer from 0"));
  EXPECT_THAT(with(R"("d_model": 4, "positions": [0.5])"), HasSubstr("positions[0]: expected an integer"));
  EXPECT_THAT(with(R"("d_model": 4, "positions": 3)"), HasSubstr("expected a list of 1 to 256 integers, got 3"));
  EXPECT_THAT(with(R"("d_model": 4, "positions": [0], "layout": "half")"),
              HasSubstr("layout: expected \"interleaved\" or \"halves\", got \"half\""));
  EXPECT_THAT(with(R"("d_model": 4, "positions": [0], "X": [[1, 2]])"),
              HasSubstr("X: expected 1 row of 4, got 1 of 2"));
  EXPECT_THAT(with(R"("d_model": 4, "positions": [0], "claimed": {"output": [[0]]})"),
              HasSubstr("no such step (output needs X)"));
}

}  // namespace
}  // namespace translate::tools
