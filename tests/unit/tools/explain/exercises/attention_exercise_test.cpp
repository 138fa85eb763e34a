#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <cmath>

#include "support/example_file_test.h"

namespace translate::tools {
namespace {

using ::testing::HasSubstr;

class AttentionExercise : public ExampleFileTest {};

TEST_F(AttentionExercise, IsTheKindOfAFileThatNamesNone) {
  EXPECT_EQ(compute(R"({"Q": [[1]]})").kind, "attention");
  EXPECT_EQ(names_of(compute(R"({"kind": "attention", "Q": [[1]]})")), names_of(compute(R"({"Q": [[1]]})")));
}

TEST_F(AttentionExercise, WidthOfAHeadGivesTheScale) {
  const auto narrow = compute(R"({"Q": [[2, 0]], "K": [[2, 0], [0, 2]]})");
  const auto wide = compute(R"({"Q": [[2, 0]], "K": [[2, 0], [0, 2]], "d_k": 16})");
  EXPECT_TRUE(at::allclose(value_of(narrow, "scaled"), value_of(narrow, "scores") / std::sqrt(2.0)));
  EXPECT_TRUE(at::allclose(value_of(wide, "scaled"), value_of(wide, "scores") / 4.0));
  EXPECT_EQ(value_of(wide, "output").sizes(), (std::vector<std::int64_t>{1, 2}));
}

TEST_F(AttentionExercise, ProjectionsMaskAndLastProjection) {
  const auto example = compute(R"({"X": [[1, 0], [0, 1]], "Z": [[1, 1]], "W_q": [[1, 0], [0, 1]], "W": [[2, 0], [0, 3]],
    "W_o": [[1], [1]], "mask": [[true], [false]]})");
  EXPECT_TRUE(at::equal(value_of(example, "Q"), at::eye(2)));
  EXPECT_TRUE(at::equal(value_of(example, "K"), at::tensor({2.0F, 3.0F}).view({1, 2})));
  EXPECT_TRUE(at::equal(value_of(example, "output"), at::tensor({5.0F, 0.0F}).view({2, 1})));  // a masked row: zeros
}

TEST_F(AttentionExercise, ARowThatMayLookNowhereIsZerosAndSaysSo) {
  const auto example = compute(R"({"Q": [[1], [2]], "mask": [[0, 0], [1, 1]]})");
  EXPECT_TRUE(at::equal(value_of(example, "weights")[0], at::zeros({2})));
  EXPECT_THAT(to_text(example), HasSubstr("fully masked rows are zero"));
}

TEST_F(AttentionExercise, MaskedScoresMayBeClaimedAsALargeNegativeNumber) {
  const auto example = compute(R"({"Q": [[1], [1]], "mask": "causal", "claimed": {"masked": [[1, -1e9], [1, 1]]}})");
  EXPECT_EQ(example.first_departure(), nullptr);
  const auto infinite = compute(R"({"Q": [[1], [1]], "mask": "causal", "claimed": {"masked": [[1, null], [1, 1]]}})");
  EXPECT_EQ(infinite.first_departure(), nullptr);
}

// Two rows with scores [4, 0], [0, 4] and a scale of 1/2.
constexpr const char* kMasked = R"({"Q": [[2, 0, 0, 0], [0, 2, 0, 0]], "mask": "causal", "claimed": )";

TEST_F(AttentionExercise, MaskingBeforeScalingIsNotWrong) {
  const auto example = compute(std::string(kMasked) + R"({"scores": [[4, 0], [0, 4]], "masked": [[4, null], [0, 4]],
    "scaled": [[2, null], [0, 2]], "weights": [[1, 0], [0.1192, 0.8808]], "output": [[2, 0, 0, 0],
    [0.2384, 1.7616, 0, 0]]}})");
  EXPECT_EQ(example.first_departure(), nullptr);
  EXPECT_THAT(to_text(example),
              HasSubstr("  claimed, and as good: masked before it is scaled, which gives the same weights\n"));
  EXPECT_THAT(to_text(example), HasSubstr("Every claim holds"));
  EXPECT_THAT(to_json(example), HasSubstr("\"equivalent\":\"masked before it is scaled"));
  // The mask alone, without a claim on what follows.
  EXPECT_EQ(compute(std::string(kMasked) + R"({"masked": [[4, null], [0, 4]]}})").first_departure(), nullptr);
}

TEST_F(AttentionExercise, MaskedScoresThatAreNeverScaledDepart) {
  // softmax([0, 4]) = [0.018, 0.982]: the scale was forgotten
  const auto example = compute(std::string(kMasked) + R"({"scores": [[4, 0], [0, 4]], "masked": [[4, null], [0, 4]],
    "weights": [[1, 0], [0.018, 0.982]]}})");
  ASSERT_NE(example.first_departure(), nullptr);
  EXPECT_EQ(example.first_departure()->name, "masked");
  // Neither order of the two gives this.
  const auto wrong = compute(std::string(kMasked) + R"({"masked": [[3, null], [0, 3]]}})");
  ASSERT_NE(wrong.first_departure(), nullptr);
  EXPECT_EQ(wrong.first_departure()->name, "masked");
}

TEST_F(AttentionExercise, TwoHeadsAttendByThemselves) {
  const auto both = compute(R"({"Q": [[1, 2, 3, 4], [0, 1, 0, 2]], "heads": 2, "W_o": [[0, 0, 1, 0], [0, 0, 0, 1],
    [1, 0, 0, 0], [0, 1, 0, 0]]})");
  const auto first = compute(R"({"Q": [[1, 2], [0, 1]]})");
  const auto second = compute(R"({"Q": [[3, 4], [0, 2]]})");
  const auto joined = at::cat({value_of(first, "output"), value_of(second, "output")}, /*dim=*/1);
  EXPECT_TRUE(at::allclose(value_of(both, "joined"), joined));
  EXPECT_TRUE(at::allclose(value_of(both, "weights")[1], value_of(second, "weights")));
  // this W_o swaps the heads
  EXPECT_TRUE(at::allclose(value_of(both, "output"), joined.roll({2}, /*dims=*/{1})));
}

TEST_F(AttentionExercise, WrongFilesAreRefusedWithTheirPlace) {
  EXPECT_THAT(complaint(R"({"Q": [[1]], "mask": [[-1e9]]})"), HasSubstr("mask: expected only 1 (may attend) and 0"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "mask": 7})"), HasSubstr("mask: expected a matrix"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "claimed": {"masked": [[1]]}})"),
              HasSubstr("1:36: claimed.masked: this exercise has no such step (masked needs a mask"));
  EXPECT_THAT(complaint(R"({"V": [[1]]})"), HasSubstr("expected X (to project) or Q"));
  EXPECT_THAT(complaint(R"({"X": [[1]], "V": [[1]]})"), HasSubstr("K and V go with Q"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "W": [[1]]})"), HasSubstr("not both"));
  EXPECT_THAT(complaint(R"({"X": [[1, 2]], "W": [[1]]})"), HasSubstr("W: expected 2 rows"));
  EXPECT_THAT(complaint(R"({"Q": [[1, 2]], "K": [[1]]})"), HasSubstr("K: K has 1 column and Q 2"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "K": [[1]], "V": [[1], [2]]})"), HasSubstr("V: V has 2 rows and K 1"));
  EXPECT_THAT(complaint(R"({"Q": [[1, 2, 3]], "heads": 2})"), HasSubstr("heads: the columns"));
  EXPECT_THAT(complaint(R"({"Q": [[1, 2, 3]], "d_k": 2})"), HasSubstr("d_k: expected at least the 3 columns"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "mask": "casual"})"), HasSubstr("mask: expected \"causal\""));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "mask": [[1, 1]]})"), HasSubstr("1 row of 1"));
}

}  // namespace
}  // namespace translate::tools
