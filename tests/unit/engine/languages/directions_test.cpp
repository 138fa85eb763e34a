#include "languages/directions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/tokenizer_training.h"
#include "unit/engine/text/sample_text.h"

namespace translate {
namespace {

using ::testing::ElementsAre;

Tokenizer tokenizer_with(const std::vector<std::string>& tags) {
  return train_tokenizer(small_tokenizer(TokenizerType::kBpe), {sample_sentences(200)}, tags);
}

CorpusFiles corpus(const char* source, const char* target) {
  return {.source = "a", .target = "b", .source_language = source, .target_language = target};
}

Direction direction(const char* source, const char* target) {
  return {.source = source, .target = target, .tag = language_tag_of(target)};
}

TEST(Directions, AreThoseOfTheTrainingCorpora) {
  Config config;
  config.data.train = {corpus("en", "fr"), corpus("en", "de"), corpus("fr", "en"), corpus("en", "fr")};
  EXPECT_THAT(directions(config, tokenizer_with({">>fr<<", ">>de<<", ">>en<<", ">>it<<"})),
              ElementsAre(direction("en", "fr"), direction("en", "de"), direction("fr", "en")));
  config.data.train = {corpus("de", ""), corpus("fr", "")};
  config.data.target_language = "en";
  EXPECT_THAT(directions(config, tokenizer_with({})),
              ElementsAre(Direction{"de", "en", ""}, Direction{"fr", "en", ""}));
}

TEST(Directions, AreThoseOfTheTagsOrOneWhereNoCorpusNamesThem) {
  Config config;
  config.data.source_language = "en";
  config.data.target_language = "roa";
  EXPECT_THAT(directions(config, tokenizer_with({">>fra<<", ">>ita<<"})),
              ElementsAre(direction("en", "fra"), direction("en", "ita")));
  EXPECT_THAT(directions(config, tokenizer_with({})), ElementsAre(Direction{"en", "roa", ""}));
}

std::string found(const std::vector<Direction>& directions, const char* target, const char* source = "") {
  const auto direction = find_direction(directions, target, source);
  return direction ? direction->source + " " + direction->target : "";
}

TEST(Directions, AreFoundByOtherCodesOfTheSameLanguage) {
  const std::vector<Direction> all = {
      direction("eng", "fra"),     direction("eng", "por"),   direction("eng", "pt_BR"), direction("eng", "zh_Hans"),
      direction("eng", "zh_Hant"), direction("eng", "es-MX"), direction("fr", "por")};
  EXPECT_EQ(found(all, "fr"), "eng fra");
  EXPECT_EQ(found(all, "pt-BR"), "eng pt_BR");
  EXPECT_EQ(found(all, "pt_BR"), "eng pt_BR");
  EXPECT_EQ(found(all, "pt"), "eng por");
  EXPECT_EQ(found(all, "pt-PT"), "eng por") << "the language alone";
  EXPECT_EQ(found(all, "es"), "eng es-MX") << "the only one";
  EXPECT_EQ(found(all, "zh"), "eng zh_Hans") << "the language's usual script";
  EXPECT_EQ(found(all, "zh-TW"), "eng zh_Hant");
  EXPECT_EQ(found(all, "de"), "");
  EXPECT_EQ(found(all, "por", "fra"), "fr por");
  EXPECT_EQ(found(all, "por", "en"), "eng por");
  EXPECT_EQ(found(all, "fra", "de"), "");
  EXPECT_EQ(found(all, "fra", "en-GB"), "eng fra");
}

TEST(Directions, TheOnlySideGetsAnotherCode) {
  const std::vector<Direction> one = {{"source", "target", ""}};
  EXPECT_EQ(directions_between(one, {}, {}), one);
  EXPECT_THAT(directions_between(one, {}, {"en", "fr"}), ElementsAre(Direction{"en", "fr", ""}));
  const std::vector<Direction> tagged = {{"source", "fr", ">>fr<<"}, {"source", "es", ">>es<<"}};
  EXPECT_THAT(directions_between(tagged, {}, {"en", ""}),
              ElementsAre(Direction{"en", "fr", ">>fr<<"}, Direction{"en", "es", ">>es<<"}));
  const std::vector<Direction> of_files = {{"en", "fr", ""}};  // their names can be anything
  EXPECT_THAT(directions_between(of_files, {}, {"fr", "de"}), ElementsAre(Direction{"fr", "de", ""}));
}

TEST(Directions, OfSeveralTheGivenOneIsChosen) {
  const std::vector<Direction> tagged = {direction("en", "fr"), direction("en", "zh_Hans"), direction("fr", "en")};
  const NamedSides both = {.source = true, .target = true};
  EXPECT_THAT(directions_between(tagged, both, {"en", "zh"}), ElementsAre(direction("en", "zh_Hans")));
  EXPECT_THAT(directions_between(tagged, both, {"fr", ""}), ElementsAre(direction("fr", "en")));
}

TEST(Directions, ALanguageThatTheModelNamesStaysWhatItIs) {
  const NamedSides both = {.source = true, .target = true};
  const std::vector<Direction> tagged = {direction("en", "fr"), direction("fr", "en")};
  for (const LanguageCodes& none : {LanguageCodes{"en", "de"}, {"en", "en"}, {"", "de"}, {"de", ""}, {"de", "fr"}}) {
    EXPECT_THAT(directions_between(tagged, both, none), ElementsAre()) << none.source << ":" << none.target;
  }
  const std::vector<Direction> one = {{"en", "pt", ""}};
  EXPECT_THAT(directions_between(one, both, {"en", "de"}), ElementsAre());
  EXPECT_THAT(directions_between(one, both, {"de", ""}), ElementsAre());
  EXPECT_THAT(directions_between(one, both, {"eng", "pt-BR"}), ElementsAre(Direction{"eng", "pt-BR", ""}));
  EXPECT_THAT(directions_between({direction("source", "fr")}, {}, {"en", "de"}), ElementsAre()) << "the tag says so";
}

TEST(Directions, ACodeOfSeveralLanguagesIsNoName) {
  const NamedSides both = {.source = true, .target = true};
  EXPECT_THAT(directions_between({{"roa", "en", ""}}, both, {"fr", "en"}), ElementsAre(Direction{"fr", "en", ""}));
}

}  // namespace
}  // namespace translate
