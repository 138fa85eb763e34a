#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "support/example_file_test.h"

namespace translate::tools {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class EncoderBlockExercise : public ExampleFileTest {
 protected:
  /// A block of width 4 with two heads; its feed-forward network halves its input where that is positive.
  [[nodiscard]] WorkedExample block(const std::string& keys) const { return compute(file(keys)); }
  [[nodiscard]] static std::string file(const std::string& keys) {
    return R"({"kind": "encoder_block", "X": [[1, 2, 0, 1], [0, 1, 3, -1], [2, 0, 1, 1]], "heads": 2,
      "W_q": [[1, 0, 0, 1], [0, 1, 1, 0], [0, 0, 1, 0], [1, 0, 0, 1]], "W": [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1],
      [0, 0, 1, 0]], "W_1": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], "W_2": [[0.5, 0, 0, 0],
      [0, 0.5, 0, 0], [0, 0, 0.5, 0], [0, 0, 0, 0.5]], )" +
           keys + "}";
  }
};

TEST_F(EncoderBlockExercise, PreNormAddsWhatSubLayersMakeOfTheNorm) {
  const auto example =
      block(R"("norm": "pre", "layer_norm": "torch", "alpha_1": [1, 1, 2, 2], "bias_2": [0, 0, 0, 1])");
  const auto& x = value_of(example, "X");
  const auto alpha = at::tensor({1.0F, 1.0F, 2.0F, 2.0F});
  const auto bias = at::tensor({0.0F, 0.0F, 0.0F, 1.0F});
  EXPECT_TRUE(
      at::allclose(value_of(example, "residual_connections.0.norm"), at::layer_norm(x, {4}) * alpha, 1e-4, 1e-5));
  const auto sum = x + value_of(example, "self_attention_block.output");
  EXPECT_TRUE(at::allclose(value_of(example, "residual_connections.0.output"), sum));
  const auto norm = at::layer_norm(sum, {4}) + bias;
  EXPECT_TRUE(at::allclose(value_of(example, "residual_connections.1.norm"), norm, 1e-4, 1e-5));
  EXPECT_TRUE(at::allclose(value_of(example, "output"), sum + 0.5 * norm.relu(), 1e-4, 1e-5));
}

TEST_F(EncoderBlockExercise, PostNormEndsInANorm) {
  const auto example = block(R"("norm": "post", "layer_norm": "torch")");
  const auto first = at::layer_norm(value_of(example, "X") + value_of(example, "self_attention_block.output"), {4});
  EXPECT_TRUE(at::allclose(value_of(example, "residual_connections.0.norm"), first, 1e-4, 1e-5));
  EXPECT_TRUE(at::allclose(value_of(example, "output"), at::layer_norm(first + 0.5 * first.relu(), {4}), 1e-4, 1e-5));
  EXPECT_EQ(example.steps.back().name, "output");
  EXPECT_THAT(names_of(example), Not(Contains("residual_connections.1.norm")));
}

TEST_F(EncoderBlockExercise, HeadsAndMaskAreThoseOfAttention) {
  const auto example = block(R"("mask": "causal", "claimed": {"self_attention_block.query": [[["?", "?"], ["?", "?"],
    ["?", "?"]], [["?", "?"], ["?", "?"], ["?", "?"]]]})");
  EXPECT_EQ(value_of(example, "self_attention_block.query").sizes(), (std::vector<std::int64_t>{2, 3, 2}));
  const auto& weights = value_of(example, "self_attention_block.weights");
  EXPECT_TRUE(at::equal(weights.triu(1), at::zeros({2, 3, 3})));
  EXPECT_TRUE(step_of(example, "self_attention_block.masked").equivalent.has_value());
  EXPECT_THAT(names_of(block(R"("norm": "pre")")), Not(Contains("self_attention_block.masked")));
}

TEST_F(EncoderBlockExercise, WrongFilesAreRefusedWithTheirPlace) {
  const auto with = [&](const std::string& keys) { return complaint(file(keys)); };
  EXPECT_THAT(with(R"("norm": "middle")"), HasSubstr("norm: expected \"pre\" or \"post\", got \"middle\""));
  EXPECT_THAT(with(R"("W_o": [[1]])"), HasSubstr("W_o: expected 4 rows of 4, got 1 of 1"));
  EXPECT_THAT(with(R"("alpha_2": [1])"), HasSubstr("alpha_2: expected 4 numbers, got 1"));
  EXPECT_THAT(with(R"("alpha": [1])"), HasSubstr("alpha: an exercise of kind \"encoder_block\" has no such key"));
  EXPECT_THAT(with(R"("claimed": {"self_attention_block.masked": [[1]]})"), HasSubstr("masked needs a mask"));
  EXPECT_THAT(with(R"("claimed": {"self_attention_block.output": [[1]]})"),
              HasSubstr("claimed.self_attention_block.output: expected the shape of what is computed, (3, 4)"));
  EXPECT_THAT(complaint(R"({"kind": "encoder_block", "X": [[1, 2, 3]], "heads": 2, "W_1": [[1]], "W_2": [[1]]})"),
              HasSubstr("heads: the columns of X (3) must be a multiple of it"));
  EXPECT_THAT(complaint(R"({"kind": "encoder_block", "X": [[1, 2]]})"), HasSubstr("W_1: missing"));
}

}  // namespace
}  // namespace translate::tools
