#include "training/validator.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "metrics/bleu.h"
#include "metrics/chrf.h"
#include "support/process_threads.h"
#include "tensors/device.h"
#include "text/tokenizer_training.h"
#include "unit/trainer/training/sample_training_data.h"

namespace translate::trainer {
namespace {

class ValidatorTest : public ::testing::Test {
 protected:
  ValidatorTest() : sample_(sample_corpus(60)) {
    config_.model.d_model = 16;
    config_.model.encoder_layers = 1;
    config_.model.decoder_layers = 1;
    config_.model.num_heads = 2;
    config_.model.d_ff = 32;
    config_.training.batch_tokens = 200;
  }

  void build() {
    at::manual_seed(2);
    model_ = build_transformer(config_.model, vocabulary_sizes(sample_.tokenizers));
    model_->train();
  }

  ValidationResult validate() {
    build();
    return validate_model();
  }

  ValidationResult validate_model() {
    const TrainingData data = sample_training_data(sample_);
    return Validator(model_, data, config_, c10::kCPU).validate(group_);
  }

  SampleCorpus sample_;
  Config config_;
  ProcessGroup group_;
  Transformer model_{nullptr};
};

TEST_F(ValidatorTest, LossIsPerTokenWhateverTheBatches) {
  const auto small = validate();
  config_.training.batch_tokens = 100000;
  const auto large = validate();
  EXPECT_EQ(small.target_tokens, large.target_tokens);
  EXPECT_EQ(small.target_tokens, sample_.encoded->statistics().target_subwords + std::ssize(sample_.text.source));
  EXPECT_NEAR(small.loss, large.loss, 1e-5);
  EXPECT_GT(small.loss, 1.0);
  EXPECT_EQ(small.bleu, large.bleu);
}

TEST_F(ValidatorTest, ProcessesTogetherFindWhatOneFinds) {
  config_.training.show_translations = 60;
  const auto alone = validate();
  for (const std::int64_t tokens : {200, 100000}) {  // several batches, and one, which is divided
    config_.training.batch_tokens = tokens;
    const TrainingData data = sample_training_data(sample_);
    in_group(3, [&](ProcessGroup& group) {
      const auto result = Validator(model_, data, config_, c10::kCPU).validate(group);
      EXPECT_EQ(result.target_tokens, alone.target_tokens);
      EXPECT_NEAR(result.loss, alone.loss, 1e-5);
      EXPECT_EQ(result.bleu, alone.bleu);
      EXPECT_EQ(result.chrf, alone.chrf);
      ASSERT_EQ(result.shown.size(), alone.shown.size());
      for (std::size_t i = 0; i < result.shown.size(); ++i) {
        EXPECT_EQ(result.shown[i].translation, alone.shown[i].translation);
      }
    });
  }
}

TEST_F(ValidatorTest, ConfidenceIsMeasuredOnItsTranslations) {
  EXPECT_FALSE(validate().confidence) << "of 60 sentences";
  sample_ = sample_corpus(120);
  const auto alone = validate();
  ASSERT_TRUE(alone.confidence);
  double sum = 0.0;
  for (const auto& bin : alone.confidence->bins()) {
    EXPECT_LT(bin.log_probability, 0.0);
    sum += bin.share;
  }
  EXPECT_GE(sum, 5.0) << "half of the sentences have at least the median";
  const TrainingData data = sample_training_data(sample_);
  in_group(3, [&](ProcessGroup& group) {
    const auto result = Validator(model_, data, config_, c10::kCPU).validate(group);
    ASSERT_TRUE(result.confidence);
    EXPECT_EQ(result.confidence->bins().size(), alone.confidence->bins().size());
    for (std::size_t i = 0; i < alone.confidence->bins().size(); ++i) {
      EXPECT_NEAR(result.confidence->bins()[i].log_probability, alone.confidence->bins()[i].log_probability, 1e-5);
    }
  });
}

TEST_F(ValidatorTest, ALossThatIsNotFiniteIsReportedWithoutTranslating) {
  build();
  {
    const at::NoGradGuard no_gradients;
    model_->projection_layer->proj->bias.fill_(std::numeric_limits<float>::quiet_NaN());
  }
  config_.training.show_translations = 60;
  const auto result = validate_model();
  EXPECT_FALSE(std::isfinite(result.loss));
  EXPECT_EQ(result.bleu, 0.0);
  EXPECT_TRUE(result.shown.empty());
}

TEST_F(ValidatorTest, DrawsNoRandomNumbersAndKeepsTrainingMode) {
  const auto first = validate();
  const auto drawn_next = draw_key();
  const auto second = validate();
  at::manual_seed(2);
  static_cast<void>(build_transformer(config_.model, vocabulary_sizes(sample_.tokenizers)));
  EXPECT_EQ(draw_key(), drawn_next);
  EXPECT_EQ(first.loss, second.loss);
  EXPECT_TRUE(model_->is_training());
}

TEST_F(ValidatorTest, LinesBeyondLearnedPositionsStillCount) {
  config_.model.positions = PositionKind::kLearned;
  config_.model.max_positions = 12;
  const auto result = validate();
  EXPECT_TRUE(std::isfinite(result.loss));
  EXPECT_LT(result.target_tokens, sample_.encoded->statistics().target_subwords + std::ssize(sample_.text.source));
}

TEST_F(ValidatorTest, TranslationsMayHoldAnyBytes) {
  auto options = small_tokenizer(TokenizerType::kChar, 300);
  options.byte_fallback = true;
  const auto tokenizer = train_tokenizer(options, {sample_.text.source, sample_.text.target});
  constexpr std::int64_t kNul = 4;  // the first one after the special subwords
  ASSERT_EQ(tokenizer.subword(kNul), "<0x00>");
  sample_.tokenizers = {tokenizer, tokenizer};
  sample_.encoded = encode(sample_.text, sample_.tokenizers);
  config_.training.show_translations = 60;
  build();
  {
    const at::NoGradGuard no_gradients;
    model_->projection_layer->proj->bias[kNul] += 10.0;
  }
  EXPECT_EQ(validate_model().shown.size(), 60U);
}

TEST_F(ValidatorTest, ChrfAndBleuAreThoseOfItsTranslations) {
  config_.training.show_translations = 60;
  config_.training.bleu_tokenization = BleuTokenization::kChar;
  const auto result = validate();
  std::vector<std::string> translations;
  for (const auto& shown : result.shown) {
    translations.push_back(shown.translation);
  }
  const References references(&sample_.text.target, 1);
  const Bleu bleu({.tokenization = BleuTokenization::kChar});
  EXPECT_EQ(result.bleu, bleu.score(SentenceCounts(bleu, "BLEU", translations, references).sums()));
  EXPECT_EQ(result.chrf, Chrf().score(SentenceCounts(Chrf(), "chrF", translations, references).sums()));
  EXPECT_GT(result.chrf, 0.0);
}

}  // namespace
}  // namespace translate::trainer
