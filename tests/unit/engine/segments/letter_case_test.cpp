#include "segments/letter_case.h"

#include <gtest/gtest.h>

namespace translate {
namespace {

TEST(LetterCase, IsRecognised) {
  for (const auto* text : {"I LOVE THE RED APPLES.", "HELP", "ÇA VA BIEN ?", "ΚΑΛΗΜΕΡΑ", "ROOM 12 IS FREE"}) {
    EXPECT_EQ(letter_case_of(text), LetterCase::kUpper) << text;
  }
  for (const auto* text : {"The Red Apples Are on the Table", "Two Dogs Play In The Snow", "Ein Großer Hund Läuft"}) {
    EXPECT_EQ(letter_case_of(text), LetterCase::kTitle) << text;
  }
  for (const auto* text : {"The cat sat.", "NASA says no", "USA", "The Red cat", "Der Hund beißt den Mann",
                           "猫が座った", "", "12", "A B", "The iPhone Is Expensive"}) {
    EXPECT_EQ(letter_case_of(text), LetterCase::kMixed) << text;
  }
}

TEST(LetterCase, OfASentence) {
  EXPECT_EQ(sentence_case("I LOVE THE RED APPLES.", "en"), "I love the red apples.");
  EXPECT_EQ(sentence_case("AND I'M HAPPY", "en"), "And I'm happy");
  EXPECT_EQ(sentence_case("\"ÉTÉ\"", "fr"), "\"Été\"");
  EXPECT_EQ(sentence_case("IŞIK", "tr"), "Işık");
  EXPECT_EQ(lower_case("ΟΔΟΣ", "el"), "οδος");  // a final sigma
}

TEST(LetterCase, IsRaised) {
  EXPECT_EQ(raised("Straße", LetterCase::kUpper, "de"), "STRASSE");
  EXPECT_EQ(raised("izmir", LetterCase::kUpper, "tr"), "İZMİR");
  EXPECT_EQ(raised("Καλημέρα", LetterCase::kUpper, "el"), "ΚΑΛΗΜΕΡΑ");
  EXPECT_EQ(raised("les pommes sont sur la table", LetterCase::kTitle, "fr"), "Les Pommes Sont sur la Table");
  EXPECT_EQ(raised("les pommes sur la table", LetterCase::kTitle, "fr", /*short_words=*/true),
            "Les Pommes Sur La Table");
  EXPECT_EQ(raised("le chat", LetterCase::kMixed, "fr"), "le chat");
}

TEST(LetterCase, ShortWordsMayHaveCapitals) {
  EXPECT_TRUE(has_short_capitals("Dogs Play In The Snow"));
  EXPECT_FALSE(has_short_capitals("The Dogs Play in the Snow"));
}

}  // namespace
}  // namespace translate
