#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/utf8.h"
#include "decoding/line_encoder.h"

namespace translate {
namespace {

using ::testing::ElementsAre;

std::int64_t code_points(std::string_view text) { return static_cast<std::int64_t>(decode_utf8(text).size()); }

std::string without_spaces(const std::string& text) {
  std::u32string kept;
  for (const char32_t c : decode_utf8(text)) {
    if (!is_unicode_space(c)) {
      kept += c;
    }
  }
  return encode_utf8(kept);
}

TEST(LongText, SplitsAtSentenceEndsFirst) {
  EXPECT_THAT(split_long_text("One two. Three four! \"Five?\" Six.", 12, SentenceSplitter(), code_points),
              ElementsAre("One two.", "Three four!", "\"Five?\" Six."));
}

TEST(LongText, JoinsShortSentencesUpToTheLimit) {
  EXPECT_THAT(split_long_text("A b. C d. E f. G h.", 9, SentenceSplitter(), code_points),
              ElementsAre("A b. C d.", "E f. G h."));
}

TEST(LongText, SplitsBetweenWordsWhereASentenceIsTooLong) {
  EXPECT_THAT(split_long_text("alpha beta gamma delta", 11, SentenceSplitter(), code_points),
              ElementsAre("alpha beta", "gamma delta"));
}

TEST(LongText, SplitsInsideWordsAtLast) {
  EXPECT_THAT(split_long_text("abcdefgh ij", 3, SentenceSplitter(), code_points),
              ElementsAre("abc", "def", "gh", "ij"));
}

TEST(LongText, KnowsSentenceEndsWithoutSpaces) {
  EXPECT_THAT(split_long_text("你好吗。我很好！谢谢", 5, SentenceSplitter(), code_points),
              ElementsAre("你好吗。", "我很好！", "谢谢"));
}

TEST(LongText, DoesNotSplitNumbersOrAbbreviationsWithoutSpace) {
  EXPECT_THAT(split_long_text("It is 3.14 now. Yes", 15, SentenceSplitter(), code_points),
              ElementsAre("It is 3.14 now.", "Yes"));
}

TEST(LongText, AnyTextKeepsAllItsCharactersInPartsWithinTheLimit) {
  std::mt19937 random(1);
  const std::u32string alphabet = U"ab é。.!? \u00a0漢";
  for (int round = 0; round < 500; ++round) {
    std::u32string text;
    for (std::size_t length = random() % 60; length > 0; --length) {
      text += alphabet[random() % alphabet.size()];
    }
    const auto limit = static_cast<std::int64_t>(1 + random() % 12);
    std::string joined;
    for (const auto& part : split_long_text(encode_utf8(text), limit, SentenceSplitter(), code_points)) {
      EXPECT_LE(code_points(part), limit);
      EXPECT_FALSE(is_blank(part));
      joined += part;
    }
    EXPECT_EQ(without_spaces(joined), without_spaces(encode_utf8(text)));
  }
}

TEST(LongText, AWordOfManyThousandCharactersIsSplitWithFewLooks) {
  const std::string word(100'000, 'x');
  std::size_t looks = 0;
  const auto length = [&](std::string_view text) {
    ++looks;
    return static_cast<std::int64_t>(text.size());
  };
  const auto parts = split_long_text("a " + word + " b", 150, SentenceSplitter(), length);
  EXPECT_EQ(parts.front(), "a");
  EXPECT_EQ(parts.size(), 2U + 667U);  // 100,000 / 150, rounded up
  std::string joined;
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    EXPECT_LE(parts[i].size(), 150U);
    joined += parts[i];
  }
  EXPECT_EQ(joined, word);
  EXPECT_LT(looks, 20 * parts.size());
}

}  // namespace
}  // namespace translate
