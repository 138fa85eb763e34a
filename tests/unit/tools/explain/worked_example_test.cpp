#include "explain/worked_example.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/example_file_test.h"

namespace translate::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class WorkedExampleFile : public ExampleFileTest {};

TEST_F(WorkedExampleFile, NamesTheFirstStepThatDepartsWithBothNumbers) {
  const auto example = compute(R"({"Q": [[2]], "V": [[5]], "claimed": {"scores": [[4]], "scaled": [[3]],
    "output": [[6]]}})");
  ASSERT_NE(example.first_departure(), nullptr);
  EXPECT_EQ(example.first_departure()->name, "scaled");
  EXPECT_THAT(to_text(example),
              HasSubstr("\nThe first step that differs from its claim: scaled (4 where 3 is claimed)"));
  EXPECT_THAT(to_text(example), HasSubstr("  claimed: differs by up to 1\n  3\n"));
  EXPECT_EQ(nlohmann::json::parse(to_json(example))["departs"], "scaled");
}

TEST_F(WorkedExampleFile, SaysThatEveryClaimHolds) {
  const auto example = compute(R"({"Q": [[2]], "claimed": {"scores": [[4]]}})");
  EXPECT_EQ(example.first_departure(), nullptr);
  EXPECT_THAT(to_text(example), HasSubstr("Every claim holds (within 0.005)."));
  EXPECT_TRUE(nlohmann::json::parse(to_json(example))["departs"].is_null());
  EXPECT_THAT(to_text(compute(R"({"Q": [[2]]})")), Not(HasSubstr("laim")));
}

TEST_F(WorkedExampleFile, AQuestionMarkLeavesANumberOpen) {
  const auto open = compute(R"({"Q": [[2, 0], [0, 2]], "claimed": {"scores": [[4, "?"], ["?", "?"]]}})");
  EXPECT_EQ(open.first_departure(), nullptr);
  const auto wrong = compute(R"({"Q": [[2, 0], [0, 2]], "claimed": {"scores": [[4, "?"], ["?", 5]]}})");
  ASSERT_NE(wrong.first_departure(), nullptr);
  EXPECT_DOUBLE_EQ(*wrong.first_departure()->largest_difference(), 1.0);
  EXPECT_THAT(to_text(wrong), HasSubstr("  4  ?\n  ?  5\n"));
  EXPECT_TRUE(nlohmann::json::parse(to_json(wrong))["steps"][1]["claimed"][0][1].is_null());
}

TEST_F(WorkedExampleFile, BlanksHideTheirResultAndAllAfterIt) {
  const auto exercise = [&](const std::string& claims) {
    return to_text(compute(R"({"Q": [[2, 1], [0, 3]], "V": [[50], [70]], "claimed": {)" + claims + "}}"));
  };
  const auto untouched = exercise(R"("scores": [["_", "_"], ["_", "_"]], "output": [["_"], ["_"]])");
  EXPECT_THAT(untouched, HasSubstr("  _  _\n  _  _\n  to fill in\n\nFill in the blanks of scores (_ in the file)"));
  EXPECT_THAT(untouched, AllOf(HasSubstr("V (2, 1)"), Not(HasSubstr("weights (")), Not(HasSubstr("laim"))));
  EXPECT_THAT(exercise(R"("scores": [[5, "_"], ["_", "_"]])"),
              HasSubstr("  5  _\n  _  _\n  to fill in; the numbers so far hold\n"));
  const auto wrong = exercise(R"("scores": [[4, "_"], ["_", "_"]])");
  EXPECT_THAT(wrong, AllOf(HasSubstr("  to fill in; the numbers so far differ by up to 1\n"), Not(HasSubstr("5  "))));
  const auto next = exercise(R"("scores": [[5, 3], [3, 8]], "output": [["_"], ["_"]])");
  EXPECT_THAT(next, AllOf(HasSubstr("  5  3\n  3  9\n  claimed: differs by up to 1\n"), HasSubstr("weights (2, 2)"),
                          HasSubstr("  to fill in\n\nFill in the blanks of output")));
  EXPECT_THAT(complaint(R"({"Q": [["_"]]})"), HasSubstr("Q[0][0]: expected a number, got \"_\", which stands for"));
}

TEST_F(WorkedExampleFile, OnlyMaskedNumbersMayBeClaimedAsAnyLargeNegativeNumber) {
  const std::string wide = R"({"kind": "feed_forward", "X": [[1000, 1000]], "W_1": [[1], [1]], "W_2": [[-20, 0]],)";
  EXPECT_NE(compute(wide + R"("claimed": {"output": [[-999999, 0]]}})").first_departure(), nullptr);
  EXPECT_NE(compute(wide + R"("claimed": {"output": [[null, 0]]}})").first_departure(), nullptr);
  EXPECT_EQ(compute(wide + R"("claimed": {"output": [[-40000, 0]]}})").first_departure(), nullptr);
  const std::string masked = R"({"X": [[1, 2], [3, 4]], "mask": "causal", "d_k": 4, "claimed": {"masked": [[2.5, )";
  for (const std::string hidden : {"null", "-1e9", "-20000"}) {
    EXPECT_EQ(compute(masked + hidden + "], [5.5, 12.5]]}}").first_departure(), nullptr) << hidden;
  }
  EXPECT_NE(compute(masked + "-100], [5.5, 12.5]]}}").first_departure(), nullptr);
}

TEST_F(WorkedExampleFile, MaskingAndScalingHaveOneOrder) {
  const std::string exercise = R"({"X": [[1, 2], [3, 4]], "mask": "causal", "d_k": 4, "claimed": {)";
  const std::string scaled_first = R"("scaled": [[2.5, 5.5], [5.5, 12.5]], "masked": [[2.5, null], [5.5, 12.5]]}})";
  const std::string masked_first = R"("scaled": [[2.5, null], [5.5, 12.5]], "masked": [[5, null], [11, 25]]}})";
  const std::string neither = R"("scaled": [[2.5, 5.5], [5.5, 12.5]], "masked": [[5, null], [11, 25]]}})";
  EXPECT_EQ(compute(exercise + scaled_first).first_departure(), nullptr);
  EXPECT_EQ(compute(exercise + masked_first).first_departure(), nullptr);
  ASSERT_NE(compute(exercise + neither).first_departure(), nullptr);
}

TEST_F(WorkedExampleFile, NumbersThatAreNotFiniteAreNoResult) {
  const auto wrong = complaint(R"({"kind": "layer_norm", "X": [[3, 3]], "epsilon": 0})");
  EXPECT_THAT(wrong, HasSubstr("the step normalised has a division by 0"));
}

TEST_F(WorkedExampleFile, SmallNumbersAreComparedByTheirShare) {
  const std::string rates =
      R"({"kind": "learning_rate", "d_model": 512, "warmup_steps": 4000, "steps": [1], "claimed": )";
  EXPECT_EQ(compute(rates + R"({"rate": [[1.747e-7]]}})").first_departure(), nullptr);
  const auto wrong = compute(rates + R"({"rate": [[1.8e-7]]}})");
  EXPECT_NE(wrong.first_departure(), nullptr);
  EXPECT_THAT(to_text(wrong), HasSubstr("  1.74693e-07\n  claimed: differs by up to 3.04 %\n  1.80000e-07\n"));
}

TEST_F(WorkedExampleFile, AnyOtherNumberDiffersFromZeroByAHundredPercent) {
  const auto wrong =
      compute(R"({"kind": "learning_rate", "d_model": 512, "warmup_steps": 4000, "factor": 0, "steps": [1],
    "claimed": {"rate": [[0.1]]}})");
  EXPECT_THAT(to_text(wrong), HasSubstr("differs by up to 100 %"));
}

TEST_F(WorkedExampleFile, OnlyDigitsThatWereComputedAreShown) {
  const auto text =
      to_text(compute(R"({"Q": [[-0.0, -0.00001, 1234567.9, 0.5], [2, 3, 4, 5]], "V": [[90000000], [-0.0]]})"));
  EXPECT_THAT(text, HasSubstr("   0.0000   0.0000  1234568   0.5000\n"));
  EXPECT_THAT(text, HasSubstr("V (2, 1): given\n  9e+07\n      0\n"));
  EXPECT_THAT(to_text(compute(R"({"Q": [[16777216]]})")), HasSubstr("  16777216\n"));
  EXPECT_THAT(
      complaint(R"({"Q": [[123456789]]})"),
      HasSubstr("Q[0][0]: 123456789 has too many digits: it would be computed as 123456792 in single precision"));
}

TEST_F(WorkedExampleFile, LargeResultsMayBeClaimed) {
  const auto large = compute(R"({"Q": [[1000000000]], "claimed": {"scores": [[1e18]]}, "tolerance": 1e12})");
  EXPECT_EQ(large.first_departure(), nullptr);
}

TEST_F(WorkedExampleFile, LongNotesAreWrappedAndControlCharactersDropped) {
  std::string note;
  for (int i = 0; i < 40; ++i) {
    note += "word\\u001b ";
  }
  const auto text = to_text(compute(R"({"Q": [[1]], "note": ")" + note + "\"}"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_LE(text.find('\n'), 80U);
}

TEST_F(WorkedExampleFile, WrongKeysAreRefusedWithTheirPlace) {
  EXPECT_THAT(complaint(R"({"X": [[1]], "tolerence": 1})"),
              HasSubstr("example.json:1:14: tolerence: unknown key; did you mean `tolerance`?"));
  EXPECT_THAT(complaint(R"({"kind": "atention"})"), HasSubstr("1:10: kind: expected \"attention\", \"positions\""));
  EXPECT_THAT(complaint(R"({"kind": "at\ntention"})"), HasSubstr("got \"at\\ntention\""));
  EXPECT_THAT(complaint(R"({"kind": 7})"), HasSubstr("got 7"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "logits": [[1]]})"),
              HasSubstr("logits: an exercise of kind \"attention\" has no such key; one of kind \"projection\" has"));
  EXPECT_THAT(complaint(R"({"kind": "loss", "labels": [0]})"), HasSubstr("example.json:1:1: logits: missing"));
  EXPECT_THAT(complaint("[1]"), HasSubstr("expected an object"));
  EXPECT_THROW(static_cast<void>(compute_example(folder_ / "none.json")), DataError);
}

TEST_F(WorkedExampleFile, WrongMatricesAreRefusedWithTheirPlace) {
  EXPECT_THAT(complaint(R"({"Q": [[1, 2], [3]]})"), HasSubstr("example.json:1:16: Q[1]: expected 2 numbers"));
  EXPECT_THAT(complaint(R"({"Q": [["a"]]})"),
              HasSubstr("Q[0][0]: expected a number from -1000000000 to 1000000000, got \"a\""));
  EXPECT_THAT(complaint(R"({"Q": [["?"]]})"), HasSubstr("Q[0][0]: expected a number, got \"?\", which stands for"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "W_o": [[1], [2]]})"), HasSubstr("W_o: expected 1 row, as many as"));
  EXPECT_THAT(complaint(R"({"Q": []})"), HasSubstr("Q: expected a matrix: a list of 1 to 256 rows, got 0 of them"));
  EXPECT_THAT(complaint(R"({"Q": [[1e39]]})"), HasSubstr("Q[0][0]: expected a number"));
  EXPECT_THAT(complaint(R"({"Q": [[null]]})"), HasSubstr("-inf in claims alone"));
}

TEST_F(WorkedExampleFile, WrongClaimsAreRefusedWithTheirPlace) {
  EXPECT_THAT(complaint(R"({"Q": [[1]], "claimed": 1})"), HasSubstr("claimed: expected an object of matrices"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "claimed": {"weight": [[1]]}})"), HasSubstr("did you mean `weights`?"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "claimed": {"weights": [[1, 0]]}})"), HasSubstr("computed, (1, 1)"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "claimed": {"weights": [["!"]]}})"),
              HasSubstr("claimed.weights[0][0]: expected a number"));
}

}  // namespace
}  // namespace translate::tools
