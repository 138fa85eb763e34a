#include <gtest/gtest.h>

#include <string>

#include "config/enum_names.h"
#include "core/utf8.h"
#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

std::string joined(const std::vector<std::string>& sentences, const std::string& separator) {
  std::string text;
  for (const auto& sentence : sentences) {
    text += (text.empty() ? "" : separator) + sentence;
  }
  return text;
}

TEST(LongLinesTest, TheBoundOfALineGrowsWithTheSubwordsAllowed) {
  EXPECT_EQ(most_bytes(0), kSegmentedAtOnce);
  EXPECT_EQ(most_bytes(100), kSegmentedAtOnce);
  EXPECT_EQ(most_bytes(10'000), 2'560'000U);
  EXPECT_GT(most_bytes(1'000'000'000'000'000), most_bytes(10'000));  // the largest integer of a configuration
}

TEST(LongLinesTest, ChunksEndAtSpacesAndNeverInsideACharacter) {
  EXPECT_EQ(chunk_end("abc", 0, 8), 3U);
  EXPECT_EQ(chunk_end("ab defgh ijk", 0, 9), 8U);
  EXPECT_EQ(chunk_end("ab defgh ijk", 3, 8), 8U);
  EXPECT_EQ(chunk_end("a bcdefghijk", 0, 8), 8U);  // the only space is in the first half
  for (const std::string character : {"é", "€", "𝄞"}) {
    for (std::size_t shift = 0; shift < 4; ++shift) {
      std::string text(shift, 'x');
      for (int i = 0; i < 100; ++i) {
        text += character;
      }
      for (std::size_t begin = 0; begin < text.size();) {
        const auto end = chunk_end(text, begin, 9);
        ASSERT_GT(end, begin);
        EXPECT_FALSE(first_invalid_utf8(std::string_view(text).substr(begin, end - begin))) << character << shift;
        begin = end;
      }
    }
  }
}

TEST(LongLinesTest, ALongTextHasTheSubwordsOfItsWords) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kChar}) {
    const auto sentences = sample_sentences(4000, 1);
    const auto tokenizer = train_tokenizer(small_tokenizer(type), {sentences});
    const auto text = joined(sentences, " ");
    ASSERT_GT(text.size(), kSegmentedAtOnce);
    std::vector<std::int64_t> expected;
    for (const auto& sentence : sentences) {
      const auto ids = tokenizer.encode(sentence);
      expected.insert(expected.end(), ids.begin(), ids.end());
    }
    EXPECT_EQ(tokenizer.encode(text), expected) << to_string(type);
  }
}

TEST(LongLinesTest, ALongWordKeepsItsText) {
  auto options = small_tokenizer(TokenizerType::kBpe);
  options.byte_fallback = true;
  options.vocab_size = 400;
  const auto tokenizer = train_tokenizer(options, {sample_sentences(300, 1)});
  const auto word = joined(sample_sentences(10'000, 2), "");
  ASSERT_GT(word.size(), 2 * kSegmentedAtOnce);
  auto text = tokenizer.decode(tokenizer.encode(word));
  std::erase(text, ' ');  // one where the word was cut
  auto expected = word;
  std::erase(expected, ' ');
  EXPECT_EQ(text, expected);
}

}  // namespace
}  // namespace translate
