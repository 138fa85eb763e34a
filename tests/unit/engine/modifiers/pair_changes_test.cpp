#include "modifiers/pair_changes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace translate {
namespace {

const LanguageCodes kEnglishFrench{.source = "en", .target = "fr"};

TEST(PairChanges, RaiseBothSides) {
  const PairText pair{.source = "The straße is in the city.", .target = "La ville est à côté."};
  EXPECT_EQ(raised_pair(pair, LetterCase::kUpper, {.source = "de", .target = "fr"}),
            (PairText{.source = "THE STRASSE IS IN THE CITY.", .target = "LA VILLE EST À CÔTÉ."}));
  EXPECT_EQ(raised_pair(pair, LetterCase::kTitle, kEnglishFrench),
            (PairText{.source = "The Straße is in the City.", .target = "La Ville est à Côté."}));
  EXPECT_EQ(raised_pair(pair, LetterCase::kTitle, kEnglishFrench, /*short_words=*/true),
            (PairText{.source = "The Straße Is In The City.", .target = "La Ville Est À Côté."}));
  EXPECT_EQ(raised_pair({.source = "in", .target = "ist"}, LetterCase::kUpper, {.source = "tr", .target = "tr"}),
            (PairText{.source = "İN", .target = "İST"}));
}

TEST(PairChanges, OnlyWhereTheSourceHasCase) {
  EXPECT_FALSE(raised_pair({.source = "猫が座った。", .target = "The cat sat."}, LetterCase::kUpper, {"ja", "en"}));
  EXPECT_EQ(raised_pair({.source = "The cat sat.", .target = "猫が座った。"}, LetterCase::kUpper, {"en", "ja"}),
            (PairText{.source = "THE CAT SAT.", .target = "猫が座った。"}));
  EXPECT_FALSE(raised_pair({.source = "12 %", .target = "12 %"}, LetterCase::kUpper, kEnglishFrench));
  EXPECT_FALSE(lower_case_pair({.source = "a cat", .target = "Un chat"}, kEnglishFrench));
  EXPECT_EQ(lower_case_pair({.source = "The Cat", .target = "Le Chat"}, kEnglishFrench),
            (PairText{.source = "the cat", .target = "le chat"}));
}

TEST(PairChanges, TakeTheSameFinalMarkFromBothSides) {
  EXPECT_EQ(without_final_mark({.source = "Who is he?", .target = "Qui est-il ?"}),
            (PairText{.source = "Who is he", .target = "Qui est-il"}));
  EXPECT_EQ(without_final_mark({.source = "The cat sat.", .target = "猫が座った。"}),
            (PairText{.source = "The cat sat", .target = "猫が座った"}));
  EXPECT_FALSE(without_final_mark({.source = "Stop!", .target = "Arrêtez."}));
  EXPECT_FALSE(without_final_mark({.source = "And then...", .target = "Et puis..."}));
  EXPECT_FALSE(without_final_mark({.source = "Is it?", .target = "¿Lo es?"}));
  EXPECT_FALSE(without_final_mark({.source = "A cat", .target = "Un chat"}));
}

/// All results of drawing another mark.
std::set<std::string> other_marks(const PairText& pair, const LanguageCodes& languages) {
  std::set<std::string> found;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    if (const auto changed = with_other_final_mark(pair, languages, random)) {
      found.insert(changed->source + " | " + changed->target);
    }
  }
  return found;
}

TEST(PairChanges, ExchangeTheFinalMarkInTheFormOfEachScript) {
  EXPECT_EQ(other_marks({.source = "He sat.", .target = "Il s'est assis."}, kEnglishFrench),
            (std::set<std::string>{"He sat? | Il s'est assis ?", "He sat! | Il s'est assis !"}));
  EXPECT_EQ(other_marks({.source = "He sat?", .target = "Il s'est assis ?"}, kEnglishFrench),
            (std::set<std::string>{"He sat. | Il s'est assis.", "He sat! | Il s'est assis !"}));
  EXPECT_EQ(other_marks({.source = "He sat !", .target = "猫が座った！"}, {.source = "en", .target = "ja"}),
            (std::set<std::string>{"He sat . | 猫が座った。", "He sat ? | 猫が座った？"}));
  EXPECT_EQ(other_marks({.source = "He sat.", .target = "جلس."}, {.source = "en", .target = "ar"}),
            (std::set<std::string>{"He sat? | جلس؟", "He sat! | جلس!"}));
  EXPECT_TRUE(other_marks({.source = "He sat", .target = "Il s'est assis"}, kEnglishFrench).empty());
}

TEST(PairChanges, NoiseIsTheSameOnBothSides) {
  const PairText pair{.source = "He sat.", .target = "Il s'est assis."};
  int before = 0;
  int behind = 0;
  int alone = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const auto changed = with_noise(pair, random);
    if (changed.source == changed.target) {
      ++alone;
    } else if (changed.source.starts_with(pair.source)) {
      ++behind;
      EXPECT_EQ(changed.source.substr(pair.source.size()), changed.target.substr(pair.target.size()));
    } else {
      ++before;
      EXPECT_TRUE(changed.source.ends_with(" " + pair.source));
      EXPECT_TRUE(changed.target.ends_with(" " + pair.target));
    }
  }
  EXPECT_GT(before, 60);
  EXPECT_GT(behind, 60);
  EXPECT_GT(alone, 60);
}

TEST(PairChanges, JoinsSentencesThatEnd) {
  EXPECT_EQ(joined_pair({.source = "He sat.", .target = "Il s'est assis."}, {.source = "Why?", .target = "Pourquoi ?"}),
            (PairText{.source = "He sat. Why?", .target = "Il s'est assis. Pourquoi ?"}));
  EXPECT_EQ(joined_pair({.source = "He sat.", .target = "猫が座った。"}, {.source = "Why?", .target = "なぜ？"}),
            (PairText{.source = "He sat. Why?", .target = "猫が座った。なぜ？"}));
  EXPECT_FALSE(
      joined_pair({.source = "Chapter 1", .target = "Chapitre 1"}, {.source = "Why?", .target = "Pourquoi ?"}));
}

}  // namespace
}  // namespace translate
