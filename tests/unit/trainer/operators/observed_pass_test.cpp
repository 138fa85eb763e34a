#include "operators/observed_pass.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "decoding/translator.h"
#include "model/memory_need.h"
#include "operators/operator_model.h"
#include "support/golden_case.h"
#include "text/tokenizer.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate::trainer {
namespace {

using testing::relative_distance;
using Shape = std::vector<std::int64_t>;

class ObservedPassTest : public ::testing::Test {
 protected:
  ObservedPassTest() {
    const auto sentences = sample_sentences(200, 1);
    const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sentences});
    tokenizers_ = std::make_unique<TokenizerPair>(TokenizerPair{tokenizer, tokenizer});
    config_.model.d_model = 32;
    config_.model.encoder_layers = 2;
    config_.model.decoder_layers = 3;
    config_.model.num_heads = 4;
    config_.model.d_ff = 64;
    config_.decoding.max_length = 9;  // an untrained model need not find the end
    at::manual_seed(4);
    model_ = build_transformer(config_.model, vocabulary_sizes(*tokenizers_));
    auto options = translator_options(config_);
    options.warn = false;
    options.decoding = greedy_options(options.decoding);
    Translator translator(make_inference_model(model_, c10::kCPU, Precision::kFp32), tokenizers_->source,
                          tokenizers_->target, options);
    translations_ = translator.translate(sample_sentences(12, 7));
  }

  [[nodiscard]] ObservedModel observed() const {
    return {.config = config_, .tokenizers = *tokenizers_, .modules = model_};
  }
  [[nodiscard]] ObservedPass pass_of(const Translation& translation) const {
    return observe_pass(observed(), translation.parts.front());
  }

  Config config_;
  std::unique_ptr<TokenizerPair> tokenizers_;
  Transformer model_{nullptr};
  std::vector<Translation> translations_;
};

TEST_F(ObservedPassTest, TellsWhatTheSearchDid) {
  for (const auto& translation : translations_) {
    const auto pass = pass_of(translation);
    const auto length = std::ssize(pass.generated);
    ASSERT_EQ(std::ssize(pass.decoder_input), length);
    EXPECT_EQ(pass.probabilities.sizes(), (Shape{length, tokenizers_->target.vocab_size()}));
    double score = 0.0;
    for (std::int64_t t = 0; t < length; ++t) {
      const auto id = pass.generated[static_cast<std::size_t>(t)];
      EXPECT_EQ(pass.probabilities[t].argmax().item<std::int64_t>(), id);
      score += std::log(pass.probabilities[t][id].item<double>());
    }
    EXPECT_NEAR(score, translation.score, 1e-3);
    EXPECT_EQ(pass.generated.back() == tokenizers_->target.special_tokens().eos, !translation.truncated);
    EXPECT_EQ(pass.decoder_input.front(), tokenizers_->target.special_tokens().sos);
    EXPECT_TRUE(at::equal(pass.probabilities.select(1, tokenizers_->target.special_tokens().unk), at::zeros({length})));
  }
  EXPECT_EQ(translations_.size(), 12U);
}

TEST_F(ObservedPassTest, StepsAreTheRowsOfTheWholePass) {
  const auto& translation = translations_.front();
  const auto pass = pass_of(translation);
  constexpr std::int64_t kLayer = 1;
  const auto steps = walk_steps(observed(), pass, kLayer);
  ASSERT_EQ(steps.size(), pass.generated.size());
  const auto cross = stage_value(pass.decoder, "decoder.layers.1.cross_attention_block.weights").mean(1)[0];  // (T, S)
  const auto source = std::ssize(pass.encoder_input);
  for (std::int64_t t = 0; t < std::ssize(steps); ++t) {
    const auto& step = steps[static_cast<std::size_t>(t)];
    EXPECT_EQ(step.decoder_input_shape, (Shape{1, t + 1, 32}));
    EXPECT_EQ(step.within_target_shape, (Shape{1, 4, t + 1, t + 1}));
    EXPECT_EQ(step.cross_attention_shape, (Shape{1, 4, t + 1, source}));
    EXPECT_EQ(step.output_shape, (Shape{1, t + 1, 32}));
    EXPECT_LE(relative_distance(step.cross_attention, cross[t]), 1e-5);
    ASSERT_EQ(step.likeliest.size(), 5U);
    EXPECT_EQ(step.likeliest.front(), pass.generated[static_cast<std::size_t>(t)]);
    EXPECT_NEAR(step.likelihoods.front(), pass.probabilities[t].max().item<double>(), 1e-5);
    EXPECT_TRUE(std::ranges::is_sorted(step.likelihoods, std::greater<>()));
  }
  EXPECT_THROW(static_cast<void>(walk_steps(observed(), pass, 3)), std::out_of_range);
}

TEST_F(ObservedPassTest, LeavesTheModelAsItWas) {
  model_->train();
  static_cast<void>(pass_of(translations_.front()));
  EXPECT_TRUE(model_->is_training());
  EXPECT_THROW(static_cast<void>(stage_value({}, "none")), std::out_of_range);
}

}  // namespace
}  // namespace translate::trainer
