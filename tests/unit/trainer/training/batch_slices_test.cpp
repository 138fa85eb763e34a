// A batch that is computed slice by slice, in one process or in several, has the gradient of the whole batch.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/random_numbers.h"
#include "tensors/device.h"
#include "training/gradient_pass.h"

namespace translate::trainer {
namespace {

constexpr VocabularySizes kSizes{.source = 37, .target = 41, .source_pad = 0, .target_pad = 0};
constexpr std::uint64_t kSentences = 11;
constexpr std::uint64_t kKey = 1234569;  // leaves out two layers of five at a layer drop of 0.4

std::vector<std::int64_t> random_ids(std::mt19937_64& random, std::uint64_t length) {
  std::vector<std::int64_t> ids(length);
  for (auto& id : ids) {
    id = 1 + static_cast<std::int64_t>(draw_below(random, 36));
  }
  return ids;
}

/// Sentences of different lengths, some neighbours among them as long as the padded batch.
Batch some_batch(bool has_second_source, bool has_predictions) {
  std::mt19937_64 random(5);
  std::vector<Example> examples;
  for (std::uint64_t sentence = 0; sentence < kSentences; ++sentence) {
    const auto target = sentence % 4 < 2 ? 13 : 3 + sentence;
    examples.push_back({.index = 0,
                        .encoder_input = random_ids(random, sentence % 3 < 2 ? 12 : 1 + sentence),
                        .decoder_input = random_ids(random, target),
                        .label = random_ids(random, target)});
    if (has_second_source) {
      examples.back().second_input = random_ids(random, 2 + sentence);
    }
    for (std::int64_t label = 0; has_predictions && sentence % 3 > 0 && std::cmp_less(label, target); ++label) {
      for (const auto& [id, probability] : {std::pair<std::int64_t, float>{label, 0.5F}, {38, 0.25F}}) {
        examples.back().predictions.push_back({.label = label, .id = id, .probability = probability});
      }
    }
    for (std::int64_t link = 0; link < static_cast<std::int64_t>(sentence % 3); ++link) {  // some have none
      const auto& example = examples.back();
      examples.back().links.push_back({.source = link % std::ssize(example.encoder_input), .target = link / 2});
    }
  }
  auto batch = collate(examples);
  batch.random_key = kKey;
  return batch;
}

/// The settings of a training, without dropout of any kind.
struct Settings {
  ModelOptions model;
  TrainingOptions training;
  bool has_second_source = false;
  bool has_predictions = false;
};

Settings without_dropout() {
  Settings settings;
  settings.model.d_model = 32;
  settings.model.encoder_layers = 3;
  settings.model.decoder_layers = 2;
  settings.model.num_heads = 2;
  settings.model.d_ff = 48;
  settings.model.dropout = 0.0;
  settings.training.label_smoothing = 0.1;
  return settings;
}

using Gradients = std::map<std::string, at::Tensor>;

/// The gradient of the mean loss over the labels of the batch, added up over slices that begin at `begins`.
Gradients gradients_of(const Settings& settings, const Batch& batch, std::vector<std::int64_t> begins) {
  seed_generators(3);
  auto model = build_transformer(settings.model, kSizes);
  model->train();
  set_word_dropout(model, settings.training.word_dropout);
  const auto loss = training_loss(model, settings.training, c10::kCPU);
  begins.push_back(batch.sentences());
  for (std::size_t slice = 0; slice + 1 < begins.size(); ++slice) {
    seed_generators(batch.random_key);
    const auto sums = loss(batch.slice(begins[slice], begins[slice + 1]));
    (sums.minimised / static_cast<double>(batch.target_tokens())).backward();
  }
  Gradients gradients;
  for (const auto& [name, parameter] : unique_parameters(model)) {
    if (parameter.grad().defined()) {
      gradients[name] = parameter.grad();
    }
  }
  return gradients;
}

double norm_of(const Gradients& gradients) {
  double squares = 0.0;
  for (const auto& [name, gradient] : gradients) {
    squares += gradient.square().sum().item<double>();
  }
  return std::sqrt(squares);
}

double distance(const Gradients& left, const Gradients& right) {
  Gradients difference;
  for (const auto& [name, gradient] : left) {
    difference[name] = right.contains(name) ? gradient - right.at(name) : gradient;
  }
  return norm_of(difference);
}

/// Holds the slices against the whole batch, by fused kernels and by operators, with one pass, R-Drop and SimCut.
/// `has_dropout`: whether the settings draw random numbers.
void expect_the_gradient_of_the_whole(Settings settings, bool has_dropout = true) {
  const std::vector<std::vector<std::int64_t>> divisions = {
      {0, 1}, {0, 4}, {0, 10}, {0, 2, 5, 9}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
  const auto batch = some_batch(settings.has_second_source, settings.has_predictions);
  auto other_key = batch;
  ++other_key.random_key;
  struct Alphas {
    double r_drop;
    double sim_cut;
  };
  for (const auto& [r_drop, sim_cut] : {Alphas{0.0, 0.0}, Alphas{4.0, 0.0}, Alphas{0.0, 3.0}}) {
    settings.training.r_drop = r_drop;
    settings.training.sim_cut = sim_cut;
    settings.training.sim_cut_probability = 0.2;
    Gradients by_fused_kernels;
    for (const bool fused : {true, false}) {
      settings.training.fused_kernels = fused;
      const auto expected = gradients_of(settings, batch, {0});
      const auto size = norm_of(expected);
      for (const auto& begins : divisions) {
        const auto sum = gradients_of(settings, batch, begins);
        EXPECT_EQ(sum.size(), expected.size());
        EXPECT_LT(distance(sum, expected), 2e-6 * size)
            << begins.size() << " slices, the second from " << begins[1] << ", r_drop " << r_drop << ", sim_cut "
            << sim_cut << ", fused " << fused;
      }
      if (has_dropout || sim_cut > 0.0) {
        EXPECT_GT(distance(gradients_of(settings, other_key, {0}), expected), 1e-2 * size) << "nothing was dropped";
      }
      if (fused) {
        by_fused_kernels = expected;
      } else {
        EXPECT_LT(distance(by_fused_kernels, expected), 1e-5 * size);
      }
    }
  }
}

TEST(BatchSlices, WithoutDropout) { expect_the_gradient_of_the_whole(without_dropout(), /*has_dropout=*/false); }

TEST(BatchSlices, WithDropoutOfEachKind) {
  const std::vector<std::function<void(Settings&)>> kinds = {
      [](Settings& settings) { settings.model.dropout = 0.3; },
      [](Settings& settings) { settings.model.attention_dropout = 0.3; },
      [](Settings& settings) { settings.model.activation_dropout = 0.3; },
      [](Settings& settings) { settings.model.layer_drop = 0.4; },
      [](Settings& settings) { settings.training.word_dropout = {.source = 0.3, .target = 0.2}; },
  };
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    SCOPED_TRACE(kind);
    auto settings = without_dropout();
    kinds[kind](settings);
    expect_the_gradient_of_the_whole(settings);
  }
}

TEST(BatchSlices, WithGuidedAlignment) {
  auto settings = without_dropout();
  settings.training.guided_alignment = GuidedAlignment::kAuto;
  settings.training.guided_alignment_weight = 2.0;
  expect_the_gradient_of_the_whole(settings, /*has_dropout=*/false);
  settings.model.dropout = 0.2;
  settings.model.attention_dropout = 0.1;
  settings.model.norm = NormPlacement::kPost;
  expect_the_gradient_of_the_whole(settings);
}

TEST(BatchSlices, WithATeacher) {
  auto settings = without_dropout();
  settings.has_predictions = true;
  settings.training.teacher = "any";
  settings.training.teacher_weight = 0.6;
  expect_the_gradient_of_the_whole(settings, /*has_dropout=*/false);
  settings.model.dropout = 0.2;
  expect_the_gradient_of_the_whole(settings);
}

TEST(BatchSlices, WithAnotherSegmentationInTheSecondPass) {
  auto settings = without_dropout();
  settings.has_second_source = true;
  settings.training.guided_alignment = GuidedAlignment::kAuto;
  expect_the_gradient_of_the_whole(settings, /*has_dropout=*/false);
  settings.model.dropout = 0.2;
  expect_the_gradient_of_the_whole(settings);
}

TEST(BatchSlices, WithAllDropoutTogetherInEveryKindOfModel) {
  auto settings = without_dropout();
  settings.model.dropout = 0.2;
  settings.model.attention_dropout = 0.1;
  settings.model.activation_dropout = 0.3;
  settings.model.layer_drop = 0.2;
  settings.training.word_dropout = {.source = 0.1, .target = 0.1};
  expect_the_gradient_of_the_whole(settings);
  settings.model.norm = NormPlacement::kPost;
  settings.model.activation = Activation::kGelu;  // by operators on unpadded rows
  settings.model.positions = PositionKind::kLearned;
  expect_the_gradient_of_the_whole(settings);
  settings.model.positions = PositionKind::kNone;
  expect_the_gradient_of_the_whole(settings);
  settings.model.decoder = DecoderKind::kSsru;
  expect_the_gradient_of_the_whole(settings);
}

}  // namespace
}  // namespace translate::trainer
