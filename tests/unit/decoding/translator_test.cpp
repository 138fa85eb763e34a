#include "translate/decoding/translator.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "translate/model/vocabulary_sizes.h"
#include "translate/text/tokenizer_training.h"
#include "unit/text/sample_text.h"

namespace translate {
namespace {

class TranslatorTest : public ::testing::Test {
 protected:
  TranslatorTest() {
    const auto sentences = sample_sentences(300, 1);
    const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sentences});
    tokenizers_ = std::make_unique<TokenizerPair>(TokenizerPair{tokenizer, tokenizer});
    config_.model.d_model = 32;
    config_.model.encoder_layers = 2;
    config_.model.decoder_layers = 2;
    config_.model.num_heads = 4;
    config_.model.d_ff = 64;
    at::manual_seed(4);
    model_ = build_transformer(config_.model, vocabulary_sizes(*tokenizers_));
  }

  [[nodiscard]] Translator translator() const {
    auto options = translator_options(config_, c10::kCPU, Precision::kFp32);
    options.warn = false;
    return {model_, tokenizers_->source, tokenizers_->target, options};
  }
  [[nodiscard]] static std::vector<std::string> texts(const std::vector<Translation>& translations) {
    std::vector<std::string> result;
    for (const auto& translation : translations) {
      result.push_back(translation.text);
    }
    return result;
  }

  Config config_;
  std::unique_ptr<TokenizerPair> tokenizers_;
  Transformer model_{nullptr};
};

TEST_F(TranslatorTest, LinesOutAreLinesInInTheirOrderAtAnyBatchSize) {
  auto lines = sample_sentences(40, 7);
  lines[3] = "";
  lines[17] = " \t\u00a0";
  const auto expected = texts(translator().translate(lines));
  ASSERT_EQ(expected.size(), lines.size());
  EXPECT_EQ(expected[3], "");
  EXPECT_EQ(expected[17], "");
  for (const std::int64_t batch_tokens : {1, 50, 100000}) {
    config_.decoding.batch_tokens = batch_tokens;
    EXPECT_EQ(texts(translator().translate(lines)), expected) << batch_tokens;
  }
  std::vector<std::string> reversed(lines.rbegin(), lines.rend());
  auto backwards = texts(translator().translate(reversed));
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_EQ(backwards, expected);
}

TEST_F(TranslatorTest, NothingInNothingOut) { EXPECT_TRUE(translator().translate({}).empty()); }

TEST_F(TranslatorTest, AnUntrainedModelIsStoppedAtAboutTwiceTheSource) {
  const std::vector<std::string> lines = {sample_sentences(1, 9)[0]};
  const auto pieces = std::ssize(tokenizers_->source.encode(lines[0]));
  model_->projection_layer->proj->bias.set_data(model_->projection_layer->proj->bias.detach().clone());
  {
    const at::NoGradGuard no_grad;
    model_->projection_layer->proj->bias[tokenizers_->target.special_tokens().eos] = -1e9;  // it never ends
  }
  const auto translation = translator().translate(lines)[0];
  EXPECT_TRUE(translation.truncated);
  EXPECT_EQ(std::ssize(translation.tokens), 2 * pieces + 10);
  config_.decoding.max_length = 3;
  EXPECT_EQ(translator().translate(lines)[0].tokens.size(), 3U);
}

TEST_F(TranslatorTest, InvalidBytesAreReadAsReplacementCharacters) {
  const std::vector<std::string> bad = {"abc \xff def"};
  const std::vector<std::string> good = {"abc \uFFFD def"};
  const auto translation = translator().translate(bad)[0];
  EXPECT_EQ(translation.source, good[0]);
  EXPECT_EQ(translation.text, translator().translate(good)[0].text);
}

TEST_F(TranslatorTest, LongLinesAreTranslatedInPartsAndJoined) {
  const auto sentences = sample_sentences(2, 11);
  const auto first = sentences[0] + ".";
  const auto second = sentences[1] + ".";
  const auto longest = std::max(tokenizers_->source.encode(first).size(), tokenizers_->source.encode(second).size());
  const auto parts = texts(translator().translate(std::vector<std::string>{first, second}));
  config_.data.max_length = static_cast<std::int64_t>(longest);
  const auto whole = translator().translate(std::vector<std::string>{first + " " + second})[0];
  EXPECT_EQ(whole.text, parts[0] + " " + parts[1]);
}

TEST_F(TranslatorTest, LeavesTheModelInTrainingMode) {
  model_->train();
  static_cast<void>(translator().translate(sample_sentences(2, 1)));
  EXPECT_TRUE(model_->is_training());
}

TEST_F(TranslatorTest, LearnedPositionsBoundSourceAndTarget) {
  config_.model.positions = PositionKind::kLearned;
  config_.model.max_positions = 20;
  const auto options = translator_options(config_, c10::kCPU, Precision::kAuto);
  EXPECT_EQ(options.max_source_length, 18);
  EXPECT_EQ(options.decoding.max_length, 20);
  EXPECT_EQ(options.precision, Precision::kFp32);
  model_ = build_transformer(config_.model, vocabulary_sizes(*tokenizers_));
  std::string text;
  for (const auto& sentence : sample_sentences(10, 3)) {
    text += sentence + " ";
  }
  EXPECT_NO_THROW(static_cast<void>(translator().translate(std::vector<std::string>{text})));
}

}  // namespace
}  // namespace translate
