#include "segments/kept_restoration.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "unit/engine/segments/small_vocabulary.h"

namespace translate {
namespace {

class KeptRestorationTest : public ::testing::Test {
 protected:
  [[nodiscard]] TextToRead read(const std::string& segment) const {
    return text_to_read(segment, find_kept_text(segment, coverage_, {}), stand_ins_);
  }

  /// The restored form of a translation.
  static std::string restored(const TextToRead& read, const std::string& translation, const Alignment& alignment) {
    return edited(translation, restoring_edits(read, translation, alignment));
  }

  void check_random_texts() const;

  CharacterCoverage coverage_{testing::small_vocabulary()};
  StandIns stand_ins_{testing::small_vocabulary(), testing::small_vocabulary()};
};

/// The same with a vocabulary that has symbols for placeholders.
class SymbolRestorationTest : public KeptRestorationTest {
 protected:
  SymbolRestorationTest() { stand_ins_ = {testing::vocabulary_with_symbols(), testing::vocabulary_with_symbols()}; }
};

TEST_F(SymbolRestorationTest, SymbolsStandForNamesAndForPlaceholdersThatLookLikeThem) {
  const auto text = read("Hello {1}, see https://example.org (%d).");
  EXPECT_EQ(text.text, "Hello {0}, see {1} ({2}).");
  EXPECT_EQ(restored(text, "Bonjour {0}, voir {1} ({2}).", {}), "Bonjour {1}, voir https://example.org (%d).");
  EXPECT_EQ(restored(text, "({2}) {1} voir, {0} bonjour {0}", {}), "(%d) https://example.org voir, {1} bonjour");
}

TEST_F(SymbolRestorationTest, TagsStayAroundASymbol) {
  const auto text = read("The <b>red {name}</b> cat <i>%s</i>");
  EXPECT_EQ(text.text, "The red {0} cat {1}");
  EXPECT_EQ(restored(text, "Le chat {0} rouge {1}", {{0, 0}, {1, 3}, {2, 2}, {3, 1}, {4, 4}}),
            "Le chat <b>{name} rouge</b> <i>%s</i>");
}

TEST_F(KeptRestorationTest, NumbersStandForNames) {
  const auto text = read("Hello {name}, see https://example.org (%d).");
  EXPECT_EQ(text.text, "Hello 7, see 3 (9).");
  EXPECT_EQ(restored(text, "Bonjour 7, voir 3 (9).", {}), "Bonjour {name}, voir https://example.org (%d).");
  EXPECT_EQ(restored(text, "(9) 3 voir, 7 bonjour", {}), "(%d) https://example.org voir, {name} bonjour");
}

TEST_F(KeptRestorationTest, NumbersOfTheTextAreNotUsed) {
  EXPECT_EQ(read("7 cats, 3.5 dogs, {a}").text, "7 cats, 3.5 dogs, 3");  // 3.5 is another number
  EXPECT_EQ(read("7 cats and 3 dogs, {a}").text, "7 cats and 3 dogs, 9");
}

TEST_F(KeptRestorationTest, ANumberThatIsRepeatedIsTakenAway) {
  EXPECT_EQ(restored(read("The {a} cat"), "Le 7 7 chat 7", {}), "Le {a} chat");
}

TEST_F(KeptRestorationTest, WithoutItsNumberANameTakesTheWordThatIsAlignedToItAlone) {
  const auto text = read("The {a} cat.");  // the number is word 1
  EXPECT_EQ(restored(text, "Le rouge chat.", {{0, 0}, {1, 1}, {2, 2}}), "Le {a} chat.");
  EXPECT_EQ(restored(text, "Le (rouge) chat.", {{0, 0}, {1, 1}, {2, 2}}), "Le ({a}) chat.");
}

TEST_F(KeptRestorationTest, WithoutAWordANameStandsBehindThatOfItsNeighbour) {
  const auto text = read("The {a} cat.");
  EXPECT_EQ(restored(text, "Le chat.", {{0, 0}, {2, 1}}), "Le {a} chat.");
  EXPECT_EQ(restored(read("{a} cat."), "Chat.", {{1, 0}}), "{a} Chat.");
  EXPECT_EQ(restored(text, "", {}), "{a}");
}

TEST_F(KeptRestorationTest, TagsFollowTheAlignment) {
  const auto text = read("The <b>red</b> apples");
  EXPECT_EQ(text.text, "The red apples");
  EXPECT_EQ(restored(text, "Les pommes rouges", {{0, 0}, {1, 2}, {2, 1}}), "Les pommes <b>rouges</b>");
}

TEST_F(KeptRestorationTest, ANameInsideOfTagsStaysThere) {
  const auto text = read("See <b>{a}</b> now");
  EXPECT_EQ(text.text, "See 7 now");
  EXPECT_EQ(restored(text, "Voir 7 maintenant", {{0, 0}, {1, 1}, {2, 2}}), "Voir <b>{a}</b> maintenant");
}

TEST_F(KeptRestorationTest, SymbolsStandBehindTheirNeighbour) {
  const auto text = read("The cat 😀 sees apples");
  EXPECT_EQ(text.text, "The cat sees apples");
  EXPECT_EQ(restored(text, "Le chat voit des pommes", {{0, 0}, {1, 1}, {2, 2}, {3, 4}}), "Le chat 😀 voit des pommes");
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) {
    ++found;
  }
  return found;
}

/// Restores random names in random translations; fails where one is not there once.
void KeptRestorationTest::check_random_texts() const {
  std::mt19937_64 random(1);
  const auto draw = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  const std::vector<std::string> words = {"the",   "cat", "sees", "7",   "3",     "apples,",
                                          "(red)", "été", "9.",   "{0}", "({1}),"};
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<std::string> kept;
    std::string segment = "cat";
    const auto length = 1 + draw(10);
    for (std::size_t i = 0; i < length; ++i) {
      const auto number = std::to_string(i);
      const std::vector<std::string> forms = {"{k" + number + "}", "%(k" + number + ")s", "https://k" + number + ".org",
                                              "<k" + number + ">", "k" + number + "@example.org"};
      const bool is_kept = draw(2) == 0;
      const auto word = is_kept ? forms[draw(forms.size())] : words[draw(words.size())];
      if (is_kept) {
        kept.push_back(word);
      }
      segment += " " + word;
    }
    const auto text = read(segment);
    std::string translation;
    const auto generated = draw(12);
    for (std::size_t i = 0; i < generated; ++i) {
      translation += (i > 0 ? " " : "") + words[draw(words.size())];
    }
    Alignment alignment;
    for (std::size_t i = 0; i < draw(12); ++i) {
      alignment.push_back(
          {.source = static_cast<std::int64_t>(draw(12)), .target = static_cast<std::int64_t>(draw(12))});
    }
    const auto result = restored(text, translation, alignment);
    for (const auto& one : kept) {
      EXPECT_EQ(count(result, one), 1U) << segment << " | " << translation << " | " << result;
    }
  }
}

TEST_F(KeptRestorationTest, WhateverTheModelDoesAllIsKeptOnce) { check_random_texts(); }
TEST_F(SymbolRestorationTest, WhateverTheModelDoesAllIsKeptOnce) { check_random_texts(); }

}  // namespace
}  // namespace translate
