#include "training/explanation/explained_batch.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "data/batches/data_loader.h"
#include "fused/fused_sublayers.h"
#include "training/gradient_pass.h"
#include "unit/trainer/data/encoded/sample_corpus.h"

namespace translate::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAreArray;

/// A small model with everything that draws random numbers, and its first batch.
class ExplainedBatchTest : public ::testing::Test {
 protected:
  ExplainedBatchTest() : sample_(sample_corpus(60)) {
    config_.model.d_model = 16;
    config_.model.encoder_layers = 2;
    config_.model.decoder_layers = 2;
    config_.model.num_heads = 2;
    config_.model.d_ff = 32;
    config_.model.dropout = 0.3;
    config_.training.batch_tokens = 300;
    config_.training.word_dropout = {.source = 0.2, .target = 0.1};
    rebuild();
    EpochLoader loader(sample_.encoded, sample_.tokenizers, training_loader_options(config_), /*epoch=*/0);
    batch_ = loader.next().value();
  }

  void rebuild() {
    at::manual_seed(2);
    model_ = build_transformer(config_.model, vocabulary_sizes(sample_.tokenizers));
    set_word_dropout(model_, config_.training.word_dropout);
  }

  [[nodiscard]] MeanLoss training_loss_of_batch() {
    GradientPass pass(training_loss(model_, config_.training, c10::kCPU), unique_parameters(model_), c10::kCPU);
    return mean_loss(pass.run({&batch_, 1}), batch_.target_tokens());
  }

  [[nodiscard]] ExplainedBatch explained() {
    const auto context = training_context(c10::kCPU, Precision::kFp32, config_.training.fused_kernels);
    return explain_batch(model_, batch_, sample_.tokenizers, loss_settings(config_.training), context);
  }

  SampleCorpus sample_;
  Config config_;
  Batch batch_;
  Transformer model_{nullptr};
};

double mean_of(const ExplainedBatch& batch, std::vector<double> ExplainedPair::*losses) {
  double sum = 0.0;
  for (const auto& pair : batch.pairs) {
    sum = std::accumulate((pair.*losses).begin(), (pair.*losses).end(), sum);
  }
  return sum / static_cast<double>(batch.target_tokens);
}

TEST_F(ExplainedBatchTest, LossesOfPositionsHaveTheMeanOfTheTrainingLoss) {
  for (const double alpha : {0.0, 4.0}) {
    config_.training.r_drop = alpha;
    for (const bool fused : {false, true}) {
      config_.training.fused_kernels = fused;
      const auto loss = training_loss_of_batch();
      const auto batch = explained();
      EXPECT_NEAR(mean_of(batch, &ExplainedPair::loss), loss.plain, 1e-4);
      EXPECT_NEAR(mean_of(batch, &ExplainedPair::minimised_loss), loss.minimised, 1e-4);
      EXPECT_EQ(loss.divergence.has_value(), alpha > 0.0);
    }
  }
}

TEST_F(ExplainedBatchTest, TheDecoderReadsTheLabelsOnePositionLater) {
  const auto batch = explained();
  ASSERT_EQ(std::ssize(batch.pairs), batch_.sentences());
  std::int64_t labels = 0;
  for (const auto& pair : batch.pairs) {
    EXPECT_EQ(pair.decoder_input.front().id, sample_.tokenizers.target.special_tokens().sos);
    EXPECT_EQ(pair.label.back().id, sample_.tokenizers.target.special_tokens().eos);
    ASSERT_EQ(pair.decoder_input.size(), pair.label.size());
    for (std::size_t i = 1; i < pair.label.size(); ++i) {
      EXPECT_EQ(pair.decoder_input[i].id, pair.label[i - 1].id);
    }
    labels += std::ssize(pair.loss);
  }
  EXPECT_EQ(labels, batch.target_tokens);
}

TEST_F(ExplainedBatchTest, SeesEachDropoutModuleOnceByItsName) {
  const auto report = observe_dropout(model_, batch_, loss_settings(config_.training), Precision::kFp32);
  std::vector<std::string> expected;
  for (const auto& module : model_->named_modules()) {
    if (module.value()->as<DropoutImpl>() != nullptr) {
      expected.push_back(module.key());
    }
  }
  std::vector<std::string> found;
  for (const auto& place : report.places) {
    found.push_back(place.module);
    EXPECT_NEAR(place.scale, 1.0 / (1.0 - place.probability), 1e-6);
    const auto values = std::accumulate(place.shape.begin(), place.shape.end(), 1.0, std::multiplies<>());
    EXPECT_NEAR(place.zeros, place.probability, 5.0 / std::sqrt(values)) << place.module;
  }
  EXPECT_THAT(found, UnorderedElementsAreArray(expected));
  EXPECT_THAT(report.layers_left_out, IsEmpty());
}

TEST_F(ExplainedBatchTest, NamesTheLayersThatWereLeftOut) {
  config_.model.layer_drop = 0.999999;
  rebuild();
  const auto report = observe_dropout(model_, batch_, loss_settings(config_.training), Precision::kFp32);
  EXPECT_THAT(report.layers_left_out,
              ElementsAre("encoder.layers.0", "encoder.layers.1", "decoder.layers.0", "decoder.layers.1"));
}

TEST(ExplainTargetTest, SpreadsEpsilonOverAllSubwords) {
  const VocabularySizes sizes{.source = 50, .target = 40, .source_pad = 3, .target_pad = 3};
  const auto target = explain_target(sizes, {.smoothing = 0.1});
  EXPECT_EQ(target.classes, 40);
  EXPECT_NEAR(target.at_label, 0.9 + 0.1 / 40, 1e-7);
  EXPECT_NEAR(target.elsewhere, 0.1 / 40, 1e-9);
  EXPECT_NEAR(target.at_padding, 0.1 / 40, 1e-9);
  EXPECT_NEAR(target.sum, 1.0, 1e-6);
  const auto hard = explain_target(sizes, {.smoothing = 0.0});
  EXPECT_EQ(hard.at_label, 1.0);
  EXPECT_EQ(hard.elsewhere, 0.0);
}

}  // namespace
}  // namespace translate::trainer
