#include "modifiers/typos.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/utf8.h"

namespace translate {
namespace {

std::string typed(const std::string& text, TypoOptions options, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return with_typos(text, options, random);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

/// All results for a word of which each seed makes one.
std::set<std::string> variants(const std::string& word, const std::string& language = "") {
  std::set<std::string> found;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    found.insert(typed(word, {.words = 1.0, .language = language}, seed));
  }
  return found;
}

TEST(Typos, AreOfFourKinds) {
  const auto found = variants("Wind");
  for (const auto* expected : {"Eind", "Wimd", "Winc", "Wnid", "Widn", "Wnd", "Win", "WWind", "Winnd"}) {
    EXPECT_TRUE(found.contains(expected)) << expected;
  }
  EXPECT_FALSE(found.contains("Wind"));
  EXPECT_FALSE(found.contains("iWnd"));  // the first letter keeps its place
  for (const auto& word : found) {
    EXPECT_GE(word.size(), 3U);
    EXPECT_LE(word.size(), 5U);
  }
}

TEST(Typos, FollowTheKeyboardOfTheLanguage) {
  EXPECT_TRUE(variants("aaa", "fr").contains("zaa"));
  EXPECT_FALSE(variants("aaa", "en").contains("zaa") && variants("aaa", "en").contains("paa"));
  EXPECT_TRUE(variants("ttt", "de").contains("ztt"));
  EXPECT_FALSE(variants("ttt", "en").contains("ztt"));
  EXPECT_TRUE(variants("ttt", "en").contains("ytt"));
}

TEST(Typos, LeaveAloneWhatIsNoTypedWord) {
  for (const auto* text : {"", "  ", "a an of", "12 345 3.14", "https://example.org/abc", "me@example.org",
                           "snake_case", "猫が座っている", "แมวนั่งอยู่", "x1y2z3"}) {
    EXPECT_EQ(typed(text, {.words = 1.0, .at_least_one = true}, 1), text);
  }
}

TEST(Typos, KeepSpacesAndPunctuation) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto result = typed("  \"Hello,  (world)!\" ", {.words = 1.0}, seed);
    EXPECT_TRUE(result.starts_with("  \"")) << result;
    EXPECT_TRUE(result.ends_with(")!\" ")) << result;
    EXPECT_NE(result.find(",  ("), std::string::npos) << result;
  }
}

TEST(Typos, HitTheShareOfAllWords) {
  // Four words in ten can have one: these take the share of the others, too.
  const std::string text = "a house of an to the is Straße at улица";
  std::size_t hit = 0;
  constexpr std::size_t kTexts = 4000;
  for (std::uint64_t seed = 0; seed < kTexts; ++seed) {
    const auto before = words_of(text);
    const auto after = words_of(typed(text, {.words = 0.1}, seed));
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
      hit += before[i] == after[i] ? 0U : 1U;
    }
  }
  EXPECT_NEAR(static_cast<double>(hit) / static_cast<double>(kTexts), 1.0, 0.06);  // 10 % of ten words
}

TEST(Typos, HitOneWordAtLeastIfAsked) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_NE(typed("the house is red", {.words = 0.0, .at_least_one = true}, seed), "the house is red");
    EXPECT_EQ(typed("the house is red", {.words = 0.0}, seed), "the house is red");
  }
}

TEST(Typos, AreAFunctionOfTheSeedAndStayValid) {
  const std::string text = "Élève İstanbul don’t naïve Ελλάδα שלום";
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto result = typed(text, {.words = 0.5}, seed);
    EXPECT_EQ(result, typed(text, {.words = 0.5}, seed));
    EXPECT_FALSE(first_invalid_utf8(result));
  }
  EXPECT_NE(typed(text, {.words = 1.0}, 1), typed(text, {.words = 1.0}, 2));
}

}  // namespace
}  // namespace translate
