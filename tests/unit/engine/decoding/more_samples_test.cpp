#include "decoding/more_samples.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

class MoreSamplesTest : public ::testing::Test {
 protected:
  MoreSamplesTest() {
    options_.sampling = true;
    options_.n_best = 2;
    parts_[0].sentence.encoder_input = {1, 2};
  }

  /// Adds the samples of a round, and asks for another one.
  [[nodiscard]] bool draws_more_after(const std::vector<std::string>& texts) {
    auto& sentence = parts_[0].sentence;
    for (const auto& text : texts) {
      auto& hypothesis = sentence.hypotheses.emplace_back();
      hypothesis.ids = tokenizer_.encode(text);
      hypothesis.draw = sentence.first_draw + std::ssize(sentence.hypotheses) - 1;
    }
    return draws_more(parts_, options_, tokenizer_);
  }

  const std::vector<std::string> sentences_ = sample_sentences(100);
  const Tokenizer tokenizer_ = train_tokenizer(small_tokenizer(TokenizerType::kUnigram, 200), {sentences_});
  DecodingOptions options_;
  std::vector<LinePart> parts_{1};
};

TEST_F(MoreSamplesTest, AreDrawnUntilThereAreEnoughTexts) {
  const auto& one = sentences_[0];
  const auto& other = sentences_[1];
  EXPECT_TRUE(draws_more_after({one, one}));
  EXPECT_TRUE(parts_[0].sentence.hypotheses.empty());
  EXPECT_EQ(parts_[0].sentence.first_draw, 2);
  EXPECT_FALSE(draws_more_after({one, other}));
  EXPECT_EQ(parts_[0].sentence.hypotheses.size(), 4U);
}

TEST_F(MoreSamplesTest, EndAfterEightRounds) {
  int rounds = 1;
  while (draws_more_after({sentences_[0], sentences_[0]})) {
    ++rounds;
  }
  EXPECT_EQ(rounds, 8);
  EXPECT_EQ(parts_[0].sentence.hypotheses.size(), 16U);
}

TEST_F(MoreSamplesTest, AreNotDrawnWithoutSamplingOrForOneText) {
  options_.n_best = 1;
  EXPECT_FALSE(draws_more_after({sentences_[0]}));
  options_.n_best = 2;
  options_.sampling = false;
  EXPECT_FALSE(draws_more_after({}));
}

}  // namespace
}  // namespace translate
