#include "serve/models/model_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "core/error.h"
#include "support/error_of.h"
#include "unit/tools/serve/models/stand_in_models.h"

namespace translate::tools {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

class ModelSetTest : public ::testing::Test {
 protected:
  void add(const std::string& name, std::vector<Direction> directions, int alternatives = 0) {
    translators_.push_back(std::make_unique<GatedTranslator>());
    models_.push_back(stand_in(name, std::move(directions), *translators_.back(), alternatives));
  }

  /// The names of the models on the way, with their tags.
  [[nodiscard]] static std::vector<std::string> names(const std::optional<Route>& route) {
    std::vector<std::string> names;
    if (route) {
      for (const auto& step : route->steps()) {
        names.push_back(step.model->facts().name + step.tag);
      }
    }
    return names;
  }

  [[nodiscard]] static std::vector<Candidates> translate(const Route& route, const std::vector<std::string>& texts,
                                                         bool alternatives = false) {
    std::vector<SourceLine> lines;
    for (const auto& text : texts) {
      lines.push_back({.text = text});
    }
    return route.translate(std::move(lines), WantedDetails{.alternatives = alternatives},
                           RequestQueue::Clock::now() + std::chrono::minutes(2));
  }

  std::vector<std::unique_ptr<GatedTranslator>> translators_;
  ModelSet::Models models_;
};

TEST_F(ModelSetTest, ADirectModelIsPreferred) {
  add("en-fr", {{"en", "fr", ""}});
  add("fr-de", {{"fr", "de", ""}});
  add("en-de", {{"en", "de", ""}});
  const ModelSet set(models_, Pivoting::kOn);
  EXPECT_THAT(names(set.find("en", "fr")), ElementsAre("en-fr"));
  EXPECT_THAT(names(set.find("EN", "De")), ElementsAre("en-de"));
  EXPECT_THAT(names(set.find("de", "en")), ElementsAre());
  EXPECT_THAT(names(set.find("en", "en")), ElementsAre());
  EXPECT_THAT(names(set.find("en", "xx")), ElementsAre());
}

TEST_F(ModelSetTest, OtherwiseOneLanguageLiesBetweenEnglishFirst) {
  add("de-fr", {{"de", "fr", ""}});
  add("fr-es", {{"fr", "es", ""}});
  add("de-en", {{"de", "en", ""}});
  add("en-es", {{"en", "es", ""}});
  add("es-pt", {{"es", "pt", ""}});
  const ModelSet set(models_, Pivoting::kOn);
  EXPECT_THAT(names(set.find("de", "es")), ElementsAre("de-en", "en-es"));
  EXPECT_THAT(names(set.find("fr", "pt")), ElementsAre("fr-es", "es-pt"));
  EXPECT_THAT(names(set.find("de", "pt")), ElementsAre());  // two languages between
  EXPECT_THAT(set.sources_of("es"), ElementsAre("de", "fr", "en"));
  const ModelSet without(models_, Pivoting::kOff);
  EXPECT_THAT(names(without.find("de", "es")), ElementsAre());
  EXPECT_THAT(without.sources_of("es"), ElementsAre("fr", "en"));
}

TEST_F(ModelSetTest, NoWayLeadsBackToTheSameLanguage) {
  add("en-fr", {{"en", "fr", ""}});
  add("fr-en", {{"fr", "en", ""}});
  const ModelSet set(models_, Pivoting::kOn);
  EXPECT_THAT(names(set.find("en", "en")), ElementsAre());
  EXPECT_THAT(set.languages()[0].targets, ElementsAre("fr"));
  EXPECT_THAT(set.languages()[1].targets, ElementsAre("en"));
}

TEST_F(ModelSetTest, LanguagesAreThoseThatCanBeTranslatedThenTheOthers) {
  add("en-x", {{"en", "fr", ">>fr<<"}, {"en", "es", ">>es<<"}});
  add("fr-de", {{"fr", "de", ""}});
  const ModelSet set(models_, Pivoting::kOn);
  std::vector<std::string> codes;
  for (const auto& language : set.languages()) {
    codes.push_back(language.code);
  }
  EXPECT_THAT(codes, ElementsAre("en", "fr", "es", "de"));
  EXPECT_THAT(set.languages()[0].targets, ElementsAre("fr", "es", "de"));
  EXPECT_THAT(set.languages()[1].targets, ElementsAre("de"));
  EXPECT_THAT(set.languages()[2].targets, ElementsAre());
  EXPECT_THAT(names(set.find("en", "es")), ElementsAre("en-x>>es<<"));
  EXPECT_EQ(set.code_of("ES"), "es");
  EXPECT_EQ(set.code_of("xx"), std::nullopt);
}

TEST_F(ModelSetTest, CodesOfTwoAndThreeLettersAreOneLanguage) {
  add("en-fra", {{"en", "fra", ""}});
  add("fr-de", {{"fr", "de", ""}});
  const ModelSet set(models_, Pivoting::kOn);
  EXPECT_THAT(names(set.find("eng", "deu")), ElementsAre("en-fra", "fr-de"));
  EXPECT_THAT(set.languages()[1].code, "fra");
  EXPECT_THAT(names(set.find("fr-CA", "de")), ElementsAre("fr-de"));
}

TEST_F(ModelSetTest, RegionsAreLanguagesOfTheirOwn) {
  add("en-x", {{"en", "pt-BR", ">>pt-BR<<"}, {"en", "pt-PT", ">>pt-PT<<"}, {"en", "zh_Hans", ">>zh_Hans<<"}});
  add("pt-en", {{"pt-BR", "en", ""}});
  const ModelSet set(models_, Pivoting::kOn);
  EXPECT_THAT(names(set.find("en", "por_br")), ElementsAre("en-x>>pt-BR<<"));
  EXPECT_THAT(names(set.find("en", "pt")), ElementsAre());  // which one?
  EXPECT_THAT(names(set.find("en", "zh")), ElementsAre("en-x>>zh_Hans<<"));
  EXPECT_THAT(names(set.find("en-GB", "pt-PT")), ElementsAre("en-x>>pt-PT<<"));
  EXPECT_THAT(names(set.find("pt-PT", "en")), ElementsAre());
}

TEST_F(ModelSetTest, CodesOfLibreTranslatesClients) {
  add("simplified", {{"en", "zh-Hans", ""}});
  add("traditional", {{"en", "zh-Hant", ""}});
  add("portuguese", {{"en", "pt-BR", ""}});
  add("norwegian", {{"en", "nb", ""}});
  const ModelSet set(models_, Pivoting::kOn);
  for (const auto& [code, name] : std::vector<std::pair<std::string, std::string>>{{"zh", "simplified"},
                                                                                   {"zh-CN", "simplified"},
                                                                                   {"zt", "traditional"},
                                                                                   {"zh-TW", "traditional"},
                                                                                   {"pb", "portuguese"},
                                                                                   {"pt", "portuguese"},
                                                                                   {"no", "norwegian"}}) {
    EXPECT_THAT(names(set.find("en", code)), ElementsAre(name)) << code;
  }
}

TEST_F(ModelSetTest, TwoModelsOfOneDirectionAreRefused) {
  add("first", {{"en", "fr", ""}, {"en", "de", ""}});
  add("second", {{"EN", "de", ""}});
  EXPECT_THAT(error_of<ConfigError>([&] { const ModelSet set(models_, Pivoting::kOn); }),
              AllOf(HasSubstr("two models translate from EN to de: first and second"), HasSubstr("--model")));
}

TEST_F(ModelSetTest, TheTagOfTheTargetStandsBeforeEachLine) {
  add("en-x", {{"en", "fr", ">>fr<<"}, {"en", "es", ">>es<<"}});
  const ModelSet set(models_, Pivoting::kOn);
  const auto translated = translate(*set.find("en", "es"), {"a", "", "b"});
  EXPECT_EQ(translated[0][0].text, "<>>es<< a>");
  EXPECT_EQ(translators_[0]->calls()[0], (GatedTranslator::Lines{">>es<< a", "", ">>es<< b"}));
}

TEST_F(ModelSetTest, ThroughALanguageTheBestTranslationIsTranslatedAndScoresAreAdded) {
  add("en-fr", {{"en", "fr", ""}}, 2);
  add("fr-x", {{"fr", "de", ">>de<<"}}, 1);
  const ModelSet set(models_, Pivoting::kOn);
  const auto route = *set.find("en", "de");
  EXPECT_EQ(route.max_alternatives(), 1);
  const auto translated = translate(route, {"a", "b"}, /*alternatives=*/true);
  ASSERT_EQ(translated.size(), 2U);
  EXPECT_EQ(translated[0][0], (ScoredText{"<>>de<< <a>>", -2.0}));
  EXPECT_EQ(translated[1][1], (ScoredText{"<>>de<< <b>>2", -3.0}));
  EXPECT_EQ(set.max_alternatives(), 2);
}

TEST(DirectionsText, NamesTheFirstTwenty) {
  EXPECT_EQ(directions_text({{"en", "fr", ""}}), "from en to fr");
  EXPECT_EQ(directions_text({{"en", "fr", ""}, {"fr", "en", ""}, {"en", "de", ""}}),
            "from en to fr, de; from fr to en");
  std::vector<Direction> many(25, {"en", "fr", ""});
  EXPECT_THAT(directions_text(many), ::testing::EndsWith("; and 5 more"));
}

}  // namespace
}  // namespace translate::tools
