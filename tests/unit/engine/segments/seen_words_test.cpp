#include "segments/seen_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <unordered_set>

#include "core/error.h"

namespace translate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

SeenWords words_of_text(const std::string& text) {
  const auto hashes = word_hashes(text);
  return SeenWords(std::unordered_set<std::uint64_t>(hashes.begin(), hashes.end()));
}

/// The word of a number: letters that stand for its digits.
std::string word(int number) {
  std::string letters = "w";
  for (const char digit : std::to_string(number)) {
    letters += static_cast<char>(digit - '0' + 'a');
  }
  return letters;
}

TEST(SeenWords, OthersAreNamedAsTheyAreWritten) {
  const auto words = words_of_text("The cat sat on the mat, didn't it?");
  EXPECT_THAT(words.unseen("the CAT sat: it didn't."), IsEmpty());
  EXPECT_THAT(words.unseen("The Dog sat on the (rug), the dog."), ElementsAre("Dog", "rug", "dog"));
}

TEST(SeenWords, CaseAndCompositionDoNotCount) {
  const auto words = words_of_text("Caf\u00E9 \u0395\u03BB\u03BB\u03AC\u03C2 stra\u00DFe");
  EXPECT_THAT(words.unseen("CAFE\u0301 \u0395\u039B\u039B\u0391\u0301\u03A3 STRASSE"), IsEmpty());
}

TEST(SeenWords, NumbersMarksAndScriptsWithoutSpacesHaveNoWords) {
  EXPECT_THAT(word_hashes("12 3.14 \u2014 \U0001F600 {0} <1/> ___"), IsEmpty());
  EXPECT_THAT(word_hashes("\u732B\u304C\u597D\u304D \u0E41\u0E21\u0E27"), IsEmpty());
  EXPECT_EQ(word_hashes("A4 snake_case").size(), 3U);
}

TEST(SeenWords, ScriptsWithoutSpacesCanBeReadByCharacters) {
  EXPECT_EQ(word_or_character_hashes("A4 snake_case"), word_hashes("A4 snake_case"));
  const auto hashes = word_or_character_hashes("\u732B\u304C cat \u732B");
  ASSERT_EQ(hashes.size(), 4U);
  EXPECT_EQ(hashes[0], hashes[3]);
  EXPECT_EQ(hashes[2], word_hashes("CAT").front());
}

TEST(SeenWords, AreAllKnownAndHardlyAnyOtherSeemsToBe) {
  constexpr int kWords = 20'000;
  std::string text;
  for (int i = 0; i < kWords; ++i) {
    text += word(i) + " ";
  }
  const auto words = words_of_text(text);
  EXPECT_LE(words.serialized().size(), 2 * kWords + 100U);
  EXPECT_THAT(words.unseen(text), IsEmpty());
  std::string others;
  for (int i = kWords; i < 2 * kWords; ++i) {
    others += word(i) + " ";
  }
  EXPECT_GT(words.unseen(others).size(), 0.998 * kWords);
}

TEST(SeenWords, TakeNoMoreThanAMebibyte) {
  std::unordered_set<std::uint64_t> numbers;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) {
    numbers.insert(i * 0x9E3779B97F4A7C15U);
  }
  EXPECT_LE(SeenWords(numbers).serialized().size(), (std::size_t{1} << 20U) + 100);
}

TEST(SeenWords, AreStoredIndependentlyOfTheirOrder) {
  const auto stored = words_of_text("one two three").serialized();
  EXPECT_EQ(words_of_text("Three one TWO one").serialized(), stored);
  EXPECT_EQ(SeenWords::from_serialized(stored).serialized(), stored);
  EXPECT_THAT(SeenWords::from_serialized(stored).unseen("two four"), ElementsAre("four"));
  EXPECT_THAT(words_of_text("").unseen("word"), ElementsAre("word"));
}

TEST(SeenWords, AreNotReadFromAnythingElse) {
  auto stored = words_of_text("one two three").serialized();
  EXPECT_THROW((void)SeenWords::from_serialized(""), DataError);
  EXPECT_THROW((void)SeenWords::from_serialized(stored.substr(0, 12)), DataError);
  EXPECT_THROW((void)SeenWords::from_serialized("X" + stored.substr(1)), DataError);
  for (const char probes : {'\0', '\x11'}) {
    stored[8] = probes;
    EXPECT_THROW((void)SeenWords::from_serialized(stored), DataError);
  }
}

}  // namespace
}  // namespace translate
