#include "text/abbreviations.h"

#include <gtest/gtest.h>

namespace translate {
namespace {

bool joins(std::string_view language, const std::string& word, std::string_view next) {
  return abbreviations_of(language).joins({.text = word}, next);
}

TEST(Abbreviations, SomeNeverEndASentence) {
  EXPECT_TRUE(joins("en", "dr", "the"));
  EXPECT_TRUE(joins("fr", "mme", "elle"));
  EXPECT_TRUE(joins("de", "z.b", "die"));
}

TEST(Abbreviations, SomeDoWhereTheNextWordOftenBeginsSentences) {
  EXPECT_TRUE(joins("en", "etc", "smith"));
  EXPECT_FALSE(joins("en", "etc", "the"));
  EXPECT_FALSE(joins("fr", "etc", "l'"));
  EXPECT_FALSE(joins("en", "etc", "it'"));  // of "It's": the word counts with and without its apostrophe
  EXPECT_TRUE(joins("fr", "av", "j"));      // of "J.-C.", not of "j'ai"
}

TEST(Abbreviations, SomeStandBeforeNumbersAlone) {
  EXPECT_TRUE(joins("en", "no", "5"));
  EXPECT_FALSE(joins("en", "no", "he"));
  EXPECT_TRUE(joins("de", "hauptstr", "14"));
  EXPECT_FALSE(joins("de", "hauptstr", "der"));
}

TEST(Abbreviations, TheWholeWordCounts) {
  EXPECT_TRUE(joins("en", "ca", "smith"));
  EXPECT_FALSE(joins("en", "monica", "smith"));
}

TEST(Abbreviations, ShortNumbersAreOrdinalsInGermanAlone) {
  const StoppedWord number{.text = "3", .is_short_number = true};
  EXPECT_TRUE(abbreviations_of("de").joins(number, "mai"));
  EXPECT_FALSE(abbreviations_of("de").joins(number, "dann"));
  EXPECT_FALSE(abbreviations_of("en").joins(number, "may"));
}

TEST(Abbreviations, InitialsBelongToNames) {
  const StoppedWord initial{.text = "j", .is_initial = true};
  for (const std::string_view language : {"en", "fr", "de"}) {
    EXPECT_TRUE(abbreviations_of(language).joins(initial, "rowling")) << language;
  }
}

TEST(Abbreviations, LanguagesAreFoundByTheirCodesAndOthersHaveNone) {
  EXPECT_TRUE(joins("en-GB", "dr", "smith"));
  EXPECT_TRUE(joins("DE_at", "dr", "huber"));
  EXPECT_FALSE(joins("es", "dr", "smith"));
  EXPECT_FALSE(joins("", "dr", "smith"));
  EXPECT_FALSE(joins("eng", "dr", "smith"));
}

}  // namespace
}  // namespace translate
