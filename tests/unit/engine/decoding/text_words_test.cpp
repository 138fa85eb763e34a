#include "decoding/text_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/utf8.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"
#include "unit/engine/text/word_level_fixture.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(TextWords, AreWhatWhiteSpaceSeparates) {
  const TextWords words(" The\u00a0cat  s\u00e9e. ");
  EXPECT_EQ(words.words(), 3);
  EXPECT_EQ(words.characters(), 10);
  EXPECT_EQ(words.first_character(1), 3);
  EXPECT_EQ(words.word_at(2), 0);
  EXPECT_EQ(words.word_at(3), 1);
  EXPECT_EQ(words.word_at(9), 2);
  EXPECT_EQ(words.word_at(99), 2);
  EXPECT_EQ(TextWords(" ").words(), 0);
}

TEST(TextWords, ThePunctuationAtAWordDoesNotAlignIt) {
  Hypothesis hypothesis;  // "OK" "," "--", aligned to three words behind the first subword of the encoder input
  hypothesis.aligned = {1, 2, 3};
  const TargetSubwords target{.words = {0, 0, 1}, .have_letters = {true, false, false}};
  EXPECT_EQ(align_words(hypothesis, /*begin=*/1, {0, 1, 2}, target),
            (Alignment{{.source = 0, .target = 0}, {.source = 2, .target = 1}}));
}

/// Each word's subwords together are the word.
void expect_words_whole(const Tokenizer& tokenizer, const std::string& text) {
  const auto subwords = tokenizer.encode(text);
  const auto decoded = tokenizer.decode(subwords);
  for (const auto& words :
       {words_of_source(tokenizer, text, subwords), words_of_target(tokenizer, tokenizer.decode(subwords), subwords)}) {
    ASSERT_EQ(words.size(), subwords.size()) << text;
    EXPECT_TRUE(std::ranges::is_sorted(words)) << text;
    const TextWords expected(decoded);
    EXPECT_EQ(words.back(), expected.words() - 1) << text;
    std::int64_t character = 0;
    for (std::int64_t word = 0; word < expected.words(); ++word) {
      std::vector<std::int64_t> own;
      for (std::size_t i = 0; i < subwords.size(); ++i) {
        if (words[i] == word) {
          own.push_back(subwords[i]);
        }
      }
      character += TextWords(tokenizer.decode(own)).characters();
      const auto end = word + 1 < expected.words() ? expected.first_character(word + 1) : expected.characters();
      EXPECT_EQ(character, end) << text << ", word " << word;
    }
  }
}

TEST(TextWords, SubwordsBelongToTheWordTheySpell) {
  const auto sentences = sample_sentences(200, 1);
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kChar, TokenizerType::kWord}) {
    const auto subwords = type == TokenizerType::kWord ? 2000 : 120;  // all words of the text, or parts of them
    const auto tokenizer = train_tokenizer(small_tokenizer(type, subwords), {sentences});
    for (const auto& sentence : sample_sentences(20, 1)) {
      expect_words_whole(tokenizer, sentence);
    }
  }
}

TEST(TextWords, BytesOfACharacterBelongTogether) {
  auto options = small_tokenizer(TokenizerType::kBpe);
  options.byte_fallback = true;
  options.vocab_size = 400;
  const auto tokenizer = train_tokenizer(options, {sample_sentences(200, 1)});
  expect_words_whole(tokenizer, sample_sentences(1, 7)[0] + " \U0001F600\U0001F601 " + sample_sentences(1, 8)[0]);
}

TEST(TextWords, UnknownCharactersKeepTheirPlace) {
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(200, 1)});
  const auto word = sample_sentences(1, 7)[0].substr(0, sample_sentences(1, 7)[0].find(' '));
  const auto text = word + " \U0001F600\U0001F601\U0001F602 " + word;
  const auto subwords = tokenizer.encode(text);
  const auto words = words_of_source(tokenizer, text, subwords);
  EXPECT_EQ(words.front(), 0);
  EXPECT_EQ(words.back(), 2);
  EXPECT_EQ(std::ranges::count(words, 0), std::ranges::count(words, 2));
}

TEST(TextWords, PunctuationCutOffIsOfItsWord) {
  const auto tokenizer = Tokenizer::from_serialized(small_word_level_json().dump());
  const std::string text = "the cat. the";
  const auto subwords = tokenizer.encode(text);
  EXPECT_THAT(words_of_source(tokenizer, text, subwords), ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(words_of_target(tokenizer, tokenizer.decode(subwords), subwords),
              ElementsAre(0, 1, 2, 3));  // which decodes to "the cat . the"
}

TEST(TextWords, NoTextNoWords) {
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(200, 1)});
  EXPECT_THAT(words_of_target(tokenizer, "", {}), IsEmpty());
  EXPECT_THAT(words_of_source(tokenizer, "", {}), IsEmpty());
}

}  // namespace
}  // namespace translate
