#include "segments/carried_text.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/engine/segments/small_vocabulary.h"

namespace translate {
namespace {

class CarriedTextTest : public ::testing::Test {
 protected:
  [[nodiscard]] bool has_nothing(const std::string& text) const { return has_nothing_to_translate(text, coverage_); }

  CharacterCoverage coverage_{testing::small_vocabulary()};
};

TEST_F(CarriedTextTest, NumbersDatesAndSymbolsHaveNoWords) {
  for (const auto* text : {"12", "3.14", "2024-03-12", "12:30", "1,000 - 2,000", "—", "...", "😀",
                           "👩‍👩‍👧 🇫🇷", "50 %", "€ 12", "(1)", "№ 5"}) {
    EXPECT_TRUE(has_nothing(text)) << text;
  }
}

TEST_F(CarriedTextTest, NamesOfThingsAreCopied) {
  for (const auto* text :
       {"https://example.org/a?b=c#d", "www.example.org", "<http://example.org>.", "mailto:me@example.org",
        "me@example.org", "/usr/bin/env", "./run", "~/notes", "C:\\Windows\\System32", "README.md", "page.html,",
        "snake_case", "std::sort", "main()", "--help", "$HOME", "`make`", "https://example.org 12 me@example.org"}) {
    EXPECT_TRUE(has_nothing(text)) << text;
  }
}

TEST_F(CarriedTextTest, WordsAreTranslated) {
  for (const auto* text :
       {"cat", "The cat sat", "12 cats", "cat 😀", "and/or", "e.g.", "cat.", "see https://example.org", "5km", "it's",
        "@cat", "a_", "_cat", "cat:", "(the cat)", "le été"}) {
    EXPECT_FALSE(has_nothing(text)) << text;
  }
}

TEST_F(CarriedTextTest, LettersThatTheVocabularyLacksAreCopied) {
  EXPECT_TRUE(has_nothing("Привет"));
  EXPECT_TRUE(has_nothing("Привет, мир! 12"));
  EXPECT_FALSE(has_nothing("Привет cat"));
  EXPECT_FALSE(has_nothing("été"));  // é is in the text that the vocabulary was built from
}

TEST_F(CarriedTextTest, SymbolsThatTheVocabularyLacksAreEdges) {
  const auto edges = [&](const std::string& text) {
    const auto [before, after] = carried_edges(text, coverage_);
    return std::pair(text.substr(0, before), text.substr(text.size() - after));
  };
  const auto of = [](const char* before, const char* after) {
    return std::pair<std::string, std::string>(before, after);
  };
  EXPECT_EQ(edges("the cat."), of("", ""));
  EXPECT_EQ(edges("😀 the cat"), of("😀 ", ""));
  EXPECT_EQ(edges("the cat 😀❤️"), of("", " 😀❤️"));
  EXPECT_EQ(edges("• the cat. 👍"), of("• ", " 👍"));
  EXPECT_EQ(edges("the 😀 cat"), of("", ""));
  EXPECT_EQ(edges("été"), of("", ""));
}

}  // namespace
}  // namespace translate
