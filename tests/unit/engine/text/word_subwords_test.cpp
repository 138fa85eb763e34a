#include "text/word_subwords.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

using ::testing::ElementsAre;

TEST(WordSubwords, BelongToTheWordThatTheyAreTheEncodingOf) {
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(300)}, {}, {"{0}"});
  for (const auto& text : sample_sentences(50, 3)) {
    const auto with_symbol = "  " + text + " {0}. " + text;
    const auto subwords = tokenizer.encode(with_symbol);
    const auto words = words_of_subwords(tokenizer, with_symbol, subwords);
    ASSERT_TRUE(words);
    ASSERT_EQ(words->size(), subwords.size());
    // The subwords of each word are those of the word by itself.
    std::vector<std::vector<std::int64_t>> by_word(static_cast<std::size_t>(words->back()) + 1);
    for (std::size_t i = 0; i < subwords.size(); ++i) {
      by_word[static_cast<std::size_t>((*words)[i])].push_back(subwords[i]);
    }
    std::string joined;
    for (const auto& word : by_word) {
      joined += (joined.empty() ? "" : " ") + tokenizer.decode(word);
    }
    EXPECT_EQ(joined, text + " {0}. " + text);
  }
}

TEST(WordSubwords, AreNothingForSubwordsOfAnotherText) {
  const auto tokenizer = train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(300)});
  const auto text = sample_sentences(1).front();
  auto subwords = tokenizer.encode(text);
  EXPECT_TRUE(words_of_subwords(tokenizer, text, subwords));
  EXPECT_FALSE(words_of_subwords(tokenizer, text + " a", subwords));
  subwords.push_back(subwords.front());
  EXPECT_FALSE(words_of_subwords(tokenizer, text, subwords));
  EXPECT_THAT(words_of_subwords(tokenizer, " ", {}).value(), ElementsAre());
}

}  // namespace
}  // namespace translate
