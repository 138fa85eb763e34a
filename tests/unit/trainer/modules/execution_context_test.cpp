#include "modules/execution_context.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "modules/transformer.h"
#include "support/golden_case.h"

namespace translate::trainer {
namespace {

using testing::relative_distance;
using Shape = std::vector<std::int64_t>;

/// The names and shapes of the walk of shapes: batch 20, length 10 on both sides.
class Walk : public ::testing::Test {
 protected:
  static constexpr std::int64_t kVocabulary = 50;

  Walk() {
    ModelOptions options;
    options.d_model = 200;
    options.encoder_layers = 2;
    options.decoder_layers = 2;
    options.num_heads = 4;
    options.d_ff = 800;
    at::manual_seed(3);
    model_ =
        build_transformer(options, {.source = kVocabulary, .target = kVocabulary, .source_pad = 3, .target_pad = 3});
    model_->eval();
    source_ = at::randint(4, kVocabulary, {20, 10}, at::kLong);
    target_ = at::randint(4, kVocabulary, {20, 10}, at::kLong);
    source_[0].slice(0, 7, 10).fill_(3);
  }

  std::map<std::string, at::Tensor> observe() {
    std::map<std::string, at::Tensor> stages;
    const auto context = ExecutionContext().observed_by([&](const std::string& name, const at::Tensor& value) {
      EXPECT_TRUE(stages.emplace(name, value).second) << name << " comes twice";
    });
    result_ = model_(source_, target_, context);
    return stages;
  }

  c10::NoGradGuard no_grad_;
  Transformer model_{nullptr};
  at::Tensor source_;
  at::Tensor target_;
  at::Tensor result_;
};

TEST_F(Walk, EveryStageHasItsShape) {
  const std::map<std::string, Shape> of_attention = {{"query", {20, 4, 10, 50}},   {"key", {20, 4, 10, 50}},
                                                     {"value", {20, 4, 10, 50}},   {"scores", {20, 4, 10, 10}},
                                                     {"scaled", {20, 4, 10, 10}},  {"masked", {20, 4, 10, 10}},
                                                     {"weights", {20, 4, 10, 10}}, {"heads", {20, 4, 10, 50}},
                                                     {"joined", {20, 10, 200}},    {"output", {20, 10, 200}}};
  std::map<std::string, Shape> expected = {{"src_embed", {20, 10, 200}},
                                           {"tgt_embed", {20, 10, 200}},
                                           {"src_pos.positions", {10, 200}},
                                           {"tgt_pos.positions", {10, 200}},
                                           {"src_pos.output", {20, 10, 200}},
                                           {"tgt_pos.output", {20, 10, 200}},
                                           {"src_mask", {20, 1, 1, 10}},
                                           {"tgt_mask", {20, 1, 10, 10}},
                                           {"encoder.output", {20, 10, 200}},
                                           {"decoder.output", {20, 10, 200}},
                                           {"projection_layer", {20, 10, kVocabulary}}};
  for (const std::string layer : {"encoder.layers.0.", "encoder.layers.1.", "decoder.layers.0.", "decoder.layers.1."}) {
    const bool decodes = layer.starts_with("decoder");
    for (const auto& [stage, shape] : of_attention) {
      expected[layer + "self_attention_block." + stage] = shape;
      if (decodes) {
        expected[layer + "cross_attention_block." + stage] = shape;
      }
    }
    for (int i = 0; i < (decodes ? 3 : 2); ++i) {
      expected[layer + "residual_connections." + std::to_string(i) + ".norm"] = {20, 10, 200};
      expected[layer + "residual_connections." + std::to_string(i) + ".output"] = {20, 10, 200};
    }
    expected[layer + "feed_forward_block.inner"] = {20, 10, 800};
    expected[layer + "feed_forward_block.output"] = {20, 10, 200};
  }
  std::map<std::string, Shape> shapes;
  for (const auto& [name, value] : observe()) {
    shapes[name] = value.sizes().vec();
  }
  EXPECT_EQ(shapes, expected);
}

TEST_F(Walk, StagesFitTogether) {
  const auto stages = observe();
  for (const std::string block : {"encoder.layers.0.self_attention_block.", "decoder.layers.1.self_attention_block.",
                                  "decoder.layers.0.cross_attention_block."}) {
    const auto value = [&](const char* stage) { return stages.at(block + stage); };
    EXPECT_LE(relative_distance(at::matmul(value("query"), value("key").transpose(-2, -1)), value("scores")), 1e-6);
    EXPECT_LE(relative_distance(value("scores") / std::sqrt(50.0), value("scaled")), 1e-6);
    EXPECT_TRUE(at::allclose(value("weights").sum(-1), at::ones({20, 4, 10}))) << block;
    EXPECT_LE(relative_distance(at::matmul(value("weights"), value("value")), value("heads")), 1e-6);
    EXPECT_FALSE(value("heads").transpose(1, 2).is_contiguous());
    EXPECT_TRUE(at::equal(value("heads").transpose(1, 2).reshape({20, 10, 200}), value("joined")));
  }
  const auto self = stages.at("decoder.layers.0.self_attention_block.weights");
  EXPECT_TRUE(at::equal(self, self.tril()));
  const auto cross = stages.at("decoder.layers.1.cross_attention_block.weights");
  EXPECT_EQ(cross[0].slice(-1, 7, 10).abs().max().item<float>(), 0.0F);  // the first sentence's padding
  EXPECT_TRUE(at::equal(stages.at("projection_layer"), result_));
  EXPECT_TRUE(at::equal(stages.at("src_embed") + stages.at("src_pos.positions"), stages.at("src_pos.output")));
}

TEST_F(Walk, LookingChangesNothing) {
  const auto before = model_(source_, target_);
  static_cast<void>(observe());
  EXPECT_LE(relative_distance(result_, before), 1e-5);
  EXPECT_TRUE(at::equal(model_(source_, target_), before));
}

TEST(ExecutionContext, StagesBearTheNamesOfTheirModules) {
  std::vector<std::string> names;
  const auto model =
      ExecutionContext().observed_by([&](const std::string& name, const at::Tensor&) { names.push_back(name); });
  const auto value = at::zeros({1});
  const auto encoder = model.within("encoder");
  encoder.within("layers", 2).observe("norm", value);
  encoder.observe("output", value);
  model.observe("logits", value);
  EXPECT_THAT(names, ::testing::ElementsAre("encoder.layers.2.norm", "encoder.output", "logits"));
}

TEST(ExecutionContext, AnotherObserverTakesThePlaceOfTheFirst) {
  int first = 0;
  int second = 0;
  const auto value = at::zeros({1});
  const auto outer = ExecutionContext().observed_by([&](const std::string&, const at::Tensor&) { ++first; });
  const auto inner = outer.observed_by([&](const std::string&, const at::Tensor&) { ++second; });
  inner.observe("a", value);
  outer.observe("b", value);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
}

TEST(ExecutionContext, WithoutAnObserverNothingIsReported) {
  const ExecutionContext context;
  EXPECT_FALSE(context.is_observed());
  EXPECT_NO_THROW(context.within("encoder").observe("norm", at::zeros({1})));
}

TEST(ExecutionContext, ProductsAreRoundedAsThePrecisionSays) {
  EXPECT_EQ(ExecutionContext().factor_type(), FactorType::kFloat);
  EXPECT_EQ(ExecutionContext(c10::kCPU, Precision::kBf16).factor_type(), FactorType::kBfloat16);
}

}  // namespace
}  // namespace translate::trainer
