#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/tokenizer.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

using ::testing::ElementsAre;

constexpr SpecialTokens kSpecial{.unk = 9, .sos = 5, .eos = 6, .pad = 7};

TEST(SequenceIds, PlacesSosAndEos) {
  const std::vector<std::int32_t> subwords{11, 12};
  EXPECT_THAT(encoder_input_ids(subwords, kSpecial), ElementsAre(5, 11, 12, 6));
  EXPECT_THAT(decoder_input_ids(subwords, kSpecial), ElementsAre(5, 11, 12));
  EXPECT_THAT(label_ids(subwords, kSpecial), ElementsAre(11, 12, 6));
}

TEST(SequenceIds, OfAnEmptySentenceAreTheSpecialOnesAlone) {
  EXPECT_THAT(encoder_input_ids(std::span<const std::int32_t>{}, kSpecial), ElementsAre(5, 6));
  EXPECT_THAT(decoder_input_ids({}, kSpecial), ElementsAre(5));
  EXPECT_THAT(label_ids({}, kSpecial), ElementsAre(6));
}

TEST(SequenceIds, OfTextEndWithEos) {
  const std::vector<std::string> sentences{"ab ab ab ab", "b"};
  const Tokenizer tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kWord, 6), {sentences});
  EXPECT_THAT(encoder_input_ids(tokenizer, "ab b new"), ElementsAre(1, 4, 5, 0, 2));
}

}  // namespace
}  // namespace translate
