#include "decoding/directions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "support/error_of.h"
#include "text/tokenizer_training.h"
#include "unit/text/sample_text.h"

namespace translate {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
  EXPECT_EQ(found(all, "zh"), "") << "two scripts";
  EXPECT_EQ(found(all, "de"), "");
  EXPECT_EQ(found(all, "por", "fra"), "fr por");
  EXPECT_EQ(found(all, "por", "en"), "eng por");
  EXPECT_EQ(found(all, "fra", "de"), "");
}

TEST(Directions, TheOnlyTargetIsChosenAndOfSeveralNone) {
  TranslatorOptions options;
  choose_target(std::vector<Direction>{direction("de", "fr"), direction("en", "fr")}, "", "--t", options);
  EXPECT_EQ(options.language_tag, ">>fr<<");
  EXPECT_EQ(options.tag_missing, "");
  EXPECT_EQ(options.source_language, "") << "two are possible";

  const std::vector<Direction> two = {direction("en", "fr"), direction("de", "en")};
  options = {};
  choose_target(two, "", "--t", options);
  EXPECT_EQ(options.language_tag, "");
  EXPECT_THAT(options.tag_missing,
              AllOf(HasSubstr("--t CODE"), HasSubstr("fr (French), en (English)"), HasSubstr(">>fr<<")));

  options = {};
  choose_target(two, "eng", "--t", options);
  EXPECT_EQ(options.language_tag, ">>en<<");
  EXPECT_EQ(options.tag_missing, "");
  EXPECT_EQ(options.source_language, "de");

  EXPECT_EQ(testing::error_of<ConfigError>([&] { choose_target(two, "it", "--t", options); }),
            "--t it: the model translates into fr (French), en (English)");
}

}  // namespace
}  // namespace translate
