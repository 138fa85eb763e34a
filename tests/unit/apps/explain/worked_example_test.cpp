#include "apps/explain/worked_example.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "support/temporary_folder.h"

namespace translate {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kExamples = TRANSLATE_SOURCE_DIR "/docs/examples";

std::vector<std::filesystem::path> shipped_examples() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(kExamples)) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> claims_of(const WorkedExample& example) {
  std::vector<std::string> names;
  for (const auto& step : example.steps) {
    if (step.claimed) {
      names.push_back(step.name);
    }
  }
  return names;
}

const at::Tensor& value_of(const WorkedExample& example, const std::string& step) {
  return std::ranges::find(example.steps, step, &ExampleStep::name)->value;
}

class WorkedExampleFile : public TemporaryFolderTest {
 protected:
  [[nodiscard]] WorkedExample compute(const std::string& json) const {
    std::ofstream(folder_ / "example.json") << json;
    return compute_example(folder_ / "example.json");
  }
  /// The message that comes of a wrong file.
  [[nodiscard]] std::string complaint(const std::string& json) const {
    try {
      static_cast<void>(compute(json));
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST(ShippedExamples, EveryClaimHoldsButTheSlips) {
  const auto files = shipped_examples();
  EXPECT_GE(files.size(), 9U);
  for (const auto& file : files) {
    const auto example = compute_example(file);
    EXPECT_FALSE(claims_of(example).empty()) << file;
    EXPECT_LE(example.tolerance, 1e-4) << file;
    const auto* departure = example.first_departure();
    if (file.stem() == "mask-after-softmax") {
      ASSERT_NE(departure, nullptr);
      EXPECT_EQ(departure->name, "weights");
    } else {
      EXPECT_EQ(departure, nullptr) << file << ": " << departure->name;
    }
  }
}

TEST(ShippedExamples, TheTextNamesTheFirstDeparture) {
  const auto slip = compute_example(kExamples / "mask-after-softmax.json");
  EXPECT_THAT(to_text(slip), HasSubstr("The first step that differs from its claim: weights"));
  EXPECT_THAT(to_text(slip), HasSubstr("scores (4, 4): Q times K transposed"));
  EXPECT_EQ(nlohmann::json::parse(to_json(slip))["departs"], "weights");
  const auto right = compute_example(kExamples / "projected.json");
  EXPECT_THAT(to_text(right), HasSubstr("Every claim holds (within 0.0001)."));
  EXPECT_TRUE(nlohmann::json::parse(to_json(right))["departs"].is_null());
  EXPECT_THAT(to_text(right), HasSubstr("  1.9617  1.6569\n"));
}

TEST_F(WorkedExampleFile, WidthOfAHeadGivesTheScale) {
  const auto narrow = compute(R"({"Q": [[2, 0]], "K": [[2, 0], [0, 2]]})");
  const auto wide = compute(R"({"Q": [[2, 0]], "K": [[2, 0], [0, 2]], "d_k": 16})");
  EXPECT_TRUE(at::allclose(value_of(narrow, "scaled"), value_of(narrow, "scores") / std::sqrt(2.0)));
  EXPECT_TRUE(at::allclose(value_of(wide, "scaled"), value_of(wide, "scores") / 4.0));
  EXPECT_EQ(value_of(wide, "output").sizes(), (std::vector<std::int64_t>{1, 2}));
}

TEST_F(WorkedExampleFile, ProjectionsMaskAndLastProjection) {
  const auto example = compute(R"({"X": [[1, 0], [0, 1]], "Z": [[1, 1]], "W_q": [[1, 0], [0, 1]], "W": [[2, 0], [0, 3]],
    "W_o": [[1], [1]], "mask": [[true], [false]]})");
  EXPECT_TRUE(at::equal(value_of(example, "Q"), at::eye(2)));
  EXPECT_TRUE(at::equal(value_of(example, "K"), at::tensor({2.0F, 3.0F}).view({1, 2})));
  EXPECT_TRUE(at::equal(value_of(example, "output"), at::tensor({5.0F, 0.0F}).view({2, 1})));  // a masked row: zeros
}

TEST_F(WorkedExampleFile, MaskedScoresMayBeClaimedAsALargeNegativeNumber) {
  const auto example = compute(R"({"Q": [[1], [1]], "mask": "causal", "claimed": {"masked": [[1, -1e9], [1, 1]]}})");
  EXPECT_EQ(example.first_departure(), nullptr);
  const auto infinite = compute(R"({"Q": [[1], [1]], "mask": "causal", "claimed": {"masked": [[1, null], [1, 1]]}})");
  EXPECT_EQ(infinite.first_departure(), nullptr);
}

TEST_F(WorkedExampleFile, ARowThatMayLookNowhereIsZerosAndSaysSo) {
  const auto example = compute(R"({"Q": [[1], [2]], "mask": [[0, 0], [1, 1]]})");
  EXPECT_TRUE(at::equal(value_of(example, "weights")[0], at::zeros({2})));
  EXPECT_THAT(to_text(example), HasSubstr("fully masked rows are zero"));
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

TEST_F(WorkedExampleFile, WrongFilesAreRefusedWithTheirPlace) {
  EXPECT_THAT(complaint(R"({"Q": [[1, 2], [3]]})"), HasSubstr("example.json:1:16: `Q[1]`: expected 2 numbers"));
  EXPECT_THAT(complaint(R"({"Q": [["a"]]})"), HasSubstr("`Q[0]`: expected numbers from -1e+09 to 1e+09, got \"a\""));
  EXPECT_THAT(complaint(R"({"Q": []})"), HasSubstr("`Q`: expected a matrix: a list of 1 to 256 rows, got 0 of them"));
  EXPECT_THAT(complaint(R"({"Q": [[1e39]]})"), HasSubstr("`Q[0]`: expected numbers"));
  EXPECT_THAT(complaint(R"({"Q": [[null]]})"), HasSubstr("-inf in claims alone"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "mask": [[-1e9]]})"), HasSubstr("`mask`: expected only 1 (may attend) and 0"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "mask": 7})"), HasSubstr("`mask`"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "claimed": {"masked": [[1]]}})"), HasSubstr("no such step"));
  EXPECT_THAT(complaint(R"({"X": [[1]], "tolerence": 1})"),
              HasSubstr("unknown key `tolerence`; did you mean `tolerance`?"));
  EXPECT_THAT(complaint(R"({"V": [[1]]})"), HasSubstr("expected X (to project) or Q"));
  EXPECT_THAT(complaint(R"({"X": [[1]], "V": [[1]]})"), HasSubstr("K and V go with Q"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "W": [[1]]})"), HasSubstr("not both"));
  EXPECT_THAT(complaint(R"({"X": [[1, 2]], "W": [[1]]})"), HasSubstr("`W`: expected 2 rows"));
  EXPECT_THAT(complaint(R"({"Q": [[1, 2]], "K": [[1]]})"), HasSubstr("`K`: K has 1 columns and Q 2"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "K": [[1]], "V": [[1], [2]]})"), HasSubstr("`V`: V has 2 rows and K 1"));
  EXPECT_THAT(complaint(R"({"Q": [[1, 2, 3]], "heads": 2})"), HasSubstr("`heads`"));
  EXPECT_THAT(complaint(R"({"Q": [[1, 2, 3]], "d_k": 2})"), HasSubstr("`d_k`: expected at least the 3 columns"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "mask": "casual"})"), HasSubstr("`mask`: expected \"causal\""));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "mask": [[1, 1]]})"), HasSubstr("1 rows of 1"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "claimed": {"weight": [[1]]}})"), HasSubstr("did you mean `weights`?"));
  EXPECT_THAT(complaint(R"({"Q": [[1]], "claimed": {"weights": [[1, 0]]}})"), HasSubstr("computed, (1, 1)"));
  EXPECT_THAT(complaint("[1]"), HasSubstr("expected an object"));
  EXPECT_THROW(static_cast<void>(compute_example(folder_ / "none.json")), DataError);
}

}  // namespace
}  // namespace translate
