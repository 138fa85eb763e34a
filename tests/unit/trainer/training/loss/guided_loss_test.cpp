#include "training/loss/guided_loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/file.h"
#include "support/folders.h"
#include "support/golden_case.h"
#include "tensors/device.h"
#include "training/gradient_pass.h"
#include "training/loss/batch_loss.h"

namespace translate::trainer {
namespace {

using testing::relative_distance;
using Json = nlohmann::json;

/// Returns a batch of sentences of these lengths, in ids without meaning, with links.
Batch batch_of(const std::vector<std::int64_t>& sources, const std::vector<std::int64_t>& targets,
               const std::vector<Alignment>& links) {
  std::vector<Example> examples;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Example example{.index = static_cast<std::int64_t>(i), .encoder_input = {}, .decoder_input = {}, .label = {}};
    for (std::int64_t place = 0; place < sources[i]; ++place) {
      example.encoder_input.push_back(4 + (place * 7 + static_cast<std::int64_t>(i)) % 30);
    }
    for (std::int64_t place = 0; place < targets[i]; ++place) {
      example.decoder_input.push_back(4 + (place * 5 + static_cast<std::int64_t>(i)) % 30);
      example.label.push_back(4 + (place * 11 + static_cast<std::int64_t>(i)) % 30);
    }
    example.links = links[i];
    examples.push_back(std::move(example));
  }
  return collate(examples);
}

const std::vector<std::int64_t> kSources{5, 3, 7};
const std::vector<std::int64_t> kTargets{4, 6, 3};  // with eos, which has no links
const std::vector<Alignment> kLinks{{{1, 0}, {2, 0}, {3, 2}}, {}, {{1, 0}, {2, 0}, {5, 0}, {5, 1}}};

/// The values that PyTorch's Python side has computed (scripts/make-alignment-golden).
class GuidedLossGolden : public ::testing::Test {
 protected:
  GuidedLossGolden() : golden_(Json::parse(read_file(project_folder() / "tests/golden/alignment/guided_loss.json"))) {
    for (const auto& [name, value] : golden_.at("values").items()) {
      tensors_[name] = tensor(value).requires_grad_();
    }
    const auto width = tensors_.at("query").size(1);
    options_.d_model = width;
    options_.num_heads = golden_.at("heads").get<std::int64_t>();
    options_.attention_bias = true;
    block_ = MultiHeadAttentionBlock(options_, testing::attention_parameters(options_));
    block_->w_q->weight = tensors_.at("w_q.weight");
    block_->w_q->bias = tensors_.at("w_q.bias");
    block_->w_k->weight = tensors_.at("w_k.weight");
    block_->w_k->bias = tensors_.at("w_k.bias");
    std::vector<Alignment> links;
    for (const auto& sentence : golden_.at("links")) {
      links.emplace_back();
      for (const auto& link : sentence) {
        links.back().push_back({.source = link[0], .target = link[1]});
      }
    }
    using Lengths = std::vector<std::int64_t>;
    batch_ = batch_of(golden_.at("sources").get<Lengths>(), golden_.at("targets").get<Lengths>(), links);
  }

  static at::Tensor tensor(const Json& json) {
    std::vector<double> values;
    const bool is_matrix = json.at(0).is_array();
    for (const auto& row : json) {
      for (const auto& value : is_matrix ? row : Json::array({row})) {
        values.push_back(value);
      }
    }
    const auto flat = at::tensor(values, at::kDouble).to(at::kFloat);
    return is_matrix ? flat.view({std::ssize(json), -1}) : flat;
  }

  /// Compares the loss of an input that `tensors_` lead to, and all gradients.
  void expect_golden(const CrossAttentionInput& input) {
    const auto loss = guided_loss(input, block_, head(), batch_);
    EXPECT_NEAR(loss.item<double>(), golden_.at("loss").get<double>(), 1e-5);
    loss.backward();
    for (const auto& [name, value] : tensors_) {
      EXPECT_LT(relative_distance(value.grad(), tensor(golden_.at("gradients").at(name))), 1e-5) << name;
    }
  }

  [[nodiscard]] AligningAttention head() const { return {.first_head = golden_.at("head").get<std::int64_t>()}; }

  Json golden_;
  std::map<std::string, at::Tensor> tensors_;
  ModelOptions options_;
  MultiHeadAttentionBlock block_{nullptr};
  Batch batch_;
};

TEST_F(GuidedLossGolden, IsPyTorchsWithoutPadding) {
  expect_golden({.layer = 0, .query = tensors_.at("query"), .memory = tensors_.at("memory")});
}

TEST_F(GuidedLossGolden, IsPyTorchsInAPaddedBatch) {
  const auto padded = [](const at::Tensor& rows, const UnpaddedLayout& sentences) {
    const auto all = at::full({sentences.sentences() * sentences.padded_length(), rows.size(1)}, 3.0);
    return all.index_copy(0, sentences.padded_indices(), rows).view({sentences.sentences(), -1, rows.size(1)});
  };
  expect_golden({.layer = 0,
                 .query = padded(tensors_.at("query"), *batch_.decoder_input.sentences),
                 .memory = padded(tensors_.at("memory"), *batch_.encoder_input.sentences)});
}

TEST_F(GuidedLossGolden, IsTheMeanOfTwoPasses) {
  expect_golden({.layer = 0,
                 .query = at::cat({tensors_.at("query"), tensors_.at("query")}),
                 .memory = at::cat({tensors_.at("memory"), tensors_.at("memory")})});
}

TEST_F(GuidedLossGolden, OfInputsIsThatOfTheNextRows) {
  using Lengths = std::vector<std::int64_t>;
  const auto targets = golden_.at("targets").get<Lengths>();
  std::vector<Alignment> links(targets.size());
  std::vector<Alignment> next_rows(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    for (std::int64_t row = 0; row + 1 < targets[i]; ++row) {  // the last label is eos, which has no links
      links[i].push_back({.source = row % 2, .target = row});
      next_rows[i].push_back({.source = row % 2, .target = row + 1});
    }
  }
  const auto sources = golden_.at("sources").get<Lengths>();
  const CrossAttentionInput input{.layer = 0, .query = tensors_.at("query"), .memory = tensors_.at("memory")};
  auto of_input = head();
  of_input.of_input = true;
  const auto batch = batch_of(sources, targets, links);
  const auto loss = guided_loss(input, block_, of_input, batch).item<double>();
  EXPECT_EQ(guided_loss(input, block_, head(), batch_of(sources, targets, next_rows)).item<double>(), loss);
  EXPECT_NE(guided_loss(input, block_, head(), batch).item<double>(), loss);
}

/// Whole models, by the kernels and by the modules.
class GuidedTraining : public ::testing::TestWithParam<bool> {
 protected:
  GuidedTraining() : batch_(batch_of(kSources, kTargets, kLinks)) {
    model_options_.d_model = 32;
    model_options_.encoder_layers = 2;
    model_options_.decoder_layers = 2;
    model_options_.num_heads = 4;
    model_options_.d_ff = 48;
    model_options_.dropout = 0.0;
    training_.fused_kernels = GetParam();
    training_.precision = Precision::kFp32;
    training_.guided_alignment = GuidedAlignment::kAuto;
    training_.guided_alignment_weight = 0.3;
  }

  [[nodiscard]] Transformer model() const {
    seed_generators(5);
    auto model = build_transformer(model_options_, {.source = 40, .target = 40, .source_pad = 3, .target_pad = 3});
    model->train();
    return model;
  }

  ModelOptions model_options_;
  TrainingOptions training_;
  Batch batch_;
};

TEST_P(GuidedTraining, TheLossIsThatOfTheModulesWeights) {
  model_options_.input_alignment_layer = 0;
  model_options_.input_alignment_head = 2;
  for (const auto norm : {NormPlacement::kPre, NormPlacement::kPost}) {
    model_options_.norm = norm;
    auto built = model();
    const auto sums = training_loss(built, training_, c10::kCPU)(batch_);
    std::vector<at::Tensor> weights;  // of each layer, (batch, heads, T, S)
    const auto see = [&weights](const std::string& stage, const at::Tensor& value) {
      if (stage.ends_with("cross_attention_block.weights")) {
        weights.push_back(value);
      }
    };
    (void)built->forward_features(batch_.encoder_input.padded(3), batch_.decoder_input.padded(3),
                                  ExecutionContext().observed_by(see));
    ASSERT_EQ(weights.size(), 2U);
    double expected = 0.0;
    for (std::size_t i = 0; i < kLinks.size(); ++i) {
      for (const auto& [source, target] : kLinks[i]) {
        const auto same = static_cast<double>(std::ranges::count(kLinks[i], target, &AlignmentPoint::target));
        const auto sentence = static_cast<std::int64_t>(i);
        expected -= std::log(weights[1][sentence][0][target][source].item<double>() + 1e-6) / same;
        expected -= std::log(weights[0][sentence][2][target + 1][source].item<double>() + 1e-6) / same;
      }
    }
    EXPECT_NEAR(sums.guided.item<double>(), expected, 1e-4);
    EXPECT_NEAR(sums.minimised.item<double>(), sums.smoothed.item<double>() + 0.3 * expected, 1e-3);
    EXPECT_FALSE(sums.guided.requires_grad());
  }
}

/// Differences of the loss by a small change of a weight.
TEST_P(GuidedTraining, TheGradientIsTheSlopeOfTheLoss) {
  constexpr double kStep = 1e-2;
  auto built = model();
  const auto loss = training_loss(built, training_, c10::kCPU);
  loss(batch_).minimised.backward();
  const at::NoGradGuard no_grad;
  const auto named = built->named_parameters();
  for (const auto* name :
       {"decoder.layers.1.cross_attention_block.w_q.weight", "decoder.layers.1.cross_attention_block.w_k.weight",
        "encoder.layers.0.feed_forward_block.linear_1.weight", "decoder.layers.0.self_attention_block.w_v.weight"}) {
    SCOPED_TRACE(name);
    auto weight = named[name].flatten();
    const auto gradient = named[name].grad().flatten();
    const auto place = gradient.abs().argmax().item<std::int64_t>();
    const auto at_offset = [&](double offset) {
      weight[place].add_(offset);
      const auto value = loss(batch_).minimised.item<double>();
      weight[place].add_(-offset);
      return value;
    };
    const auto slope = (at_offset(kStep) - at_offset(-kStep)) / (2 * kStep);
    EXPECT_NEAR(slope, gradient[place].item<double>(), 0.02 * std::abs(slope) + 5e-3);
  }
}

TEST_P(GuidedTraining, ABatchWithoutLinksHasTheTranslationsLossAlone) {
  auto built = model();
  const auto loss = training_loss(built, training_, c10::kCPU);
  batch_.links.reset();
  const auto sums = loss(batch_);
  EXPECT_FALSE(sums.guided.defined());
  EXPECT_EQ(sums.minimised.item<float>(), sums.smoothed.item<float>());
}

TEST_P(GuidedTraining, Bf16DiffersByRounding) {
  auto built = model();
  const auto exact = training_loss(built, training_, c10::kCPU)(batch_);
  training_.precision = Precision::kBf16;
  const auto rounded = training_loss(built, training_, c10::kCPU)(batch_);
  EXPECT_NE(rounded.guided.item<double>(), exact.guided.item<double>());
  EXPECT_NEAR(rounded.guided.item<double>(), exact.guided.item<double>(), 0.02 * exact.guided.item<double>());
  rounded.minimised.backward();
}

TEST_P(GuidedTraining, APassThatLeavesOutTheLayerHasNone) {
  model_options_.layer_drop = 0.999999;
  auto built = model();
  const auto sums = training_loss(built, training_, c10::kCPU)(batch_);
  EXPECT_FALSE(sums.guided.defined());
}

INSTANTIATE_TEST_SUITE_P(Kernels, GuidedTraining, ::testing::Values(true, false),
                         [](const auto& kernels) { return kernels.param ? "Fused" : "Modules"; });

}  // namespace
}  // namespace translate::trainer
