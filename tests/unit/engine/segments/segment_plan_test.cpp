#include "segments/segment_plan.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "unit/engine/segments/small_vocabulary.h"

namespace translate {
namespace {

class SegmentPlanTest : public ::testing::Test {
 protected:
  SegmentPlanner planner_{{.source = testing::small_vocabulary(), .target = testing::small_vocabulary()},
                          {.source = "en", .target = "fr"}};
};

TEST_F(SegmentPlanTest, OfAnOrdinarySentenceIsTheSentence) {
  const auto plan = planner_.plan("The cat sees the red apples.");
  EXPECT_FALSE(plan.is_copied);
  EXPECT_EQ(plan.text, "The cat sees the red apples.");
  EXPECT_EQ(planner_.translation(plan, "Le chat voit les pommes rouges.", {}, /*with_words=*/false).text,
            "Le chat voit les pommes rouges.");
}

TEST_F(SegmentPlanTest, WithoutWordsIsACopy) {
  const auto plan = planner_.plan("2024-03-12 😀");
  EXPECT_TRUE(plan.is_copied);
  EXPECT_EQ(planner_.translation(plan, "whatever", {}, /*with_words=*/false).text, "2024-03-12 😀");
}

TEST_F(SegmentPlanTest, CapitalsAreTranslatedInUsualCase) {
  const auto plan = planner_.plan("I LOVE THE RED APPLES.");
  EXPECT_EQ(plan.text, "I love the red apples.");
  EXPECT_EQ(planner_.translation(plan, "J'aime les pommes rouges.", {}, /*with_words=*/false).text,
            "J'AIME LES POMMES ROUGES.");
}

TEST_F(SegmentPlanTest, CapitalsThatTakeAsManySubwordsAreTranslatedInUsualCase) {
  const std::vector<std::string> text = {"the red apples", "THE RED APPLES"};
  TokenizerOptions options;
  options.type = TokenizerType::kChar;
  const auto characters = train_tokenizer(options, {text});
  const SegmentPlanner planner({.source = characters, .target = characters}, {.source = "en", .target = "fr"});
  EXPECT_EQ(planner.plan("THE RED APPLES").text, "The red apples");
  EXPECT_EQ(planner.plan("The Red Apples").text, "The red apples");
  EXPECT_EQ(planner.plan("Red Apples of Adam").text, "Red Apples of Adam");  // perhaps names
}

TEST_F(SegmentPlanTest, TitleCaseIsTranslatedInUsualCase) {
  const auto plan = planner_.plan("The Red Apples on the Table");
  EXPECT_EQ(plan.text, "The red apples on the table");
  EXPECT_EQ(planner_.translation(plan, "Les pommes rouges sur la table.", {}, /*with_words=*/false).text,
            "Les Pommes Rouges sur la Table");
}

TEST_F(SegmentPlanTest, AWordInCapitalsIsTranslatedInUsualCaseWhereTheVocabularyHasItWhole) {
  const auto plan = planner_.plan("I love the \"TABLE\", NASA.");
  EXPECT_EQ(plan.text, "I love the \"table\", NASA.");
  EXPECT_TRUE(plan.needs_alignment());
  const Alignment links = {
      {.source = 0, .target = 0}, {.source = 3, .target = 1}, {.source = 3, .target = 2}, {.source = 4, .target = 3}};
  EXPECT_EQ(planner_.translation(plan, "J'aime l'été vert, NASA.", links, /*with_words=*/false).text,
            "J'aime L'ÉTÉ VERT, NASA.");
  EXPECT_FALSE(planner_.plan("I love NASA, the RED cat and ABBAXYZ.").needs_alignment());
}

TEST_F(SegmentPlanTest, WordsInCapitalsKeepTheirPlacesBesideWhatIsKept) {
  const auto plan = planner_.plan("The {name} sees the TABLE.");
  ASSERT_TRUE(plan.kept);
  EXPECT_TRUE(plan.text.ends_with("sees the table."));
  EXPECT_EQ(plan.capital_words, std::vector<std::int64_t>{static_cast<std::int64_t>(words_of(plan.text).size()) - 1});
}

TEST_F(SegmentPlanTest, AModelWithSymbolsForTermsReadsTheirTranslations) {
  const auto& symbols = testing::vocabulary_with_symbols();
  const SegmentPlanner planner({.source = symbols, .target = symbols}, {.source = "en", .target = "fr"});
  const auto glossary = std::make_shared<const Glossary>(std::vector<GlossaryTerm>{
      {.source = "red apples", .target = "pommes rouges"}, {.source = "cat", .target = "chat"}});
  const auto plan = planner.plan("The cat {x} sees the red apples.", {}, {glossary});
  EXPECT_TRUE(plan.has_annotations);
  EXPECT_EQ(plan.text, "The <[> cat<|> chat<]> {0} sees the <[> red apples<|> pommes rouges<]>.");
  ASSERT_EQ(plan.terms.size(), 2U);
  EXPECT_EQ(plan.terms[0].first_word, 1);
  EXPECT_EQ(plan.terms[0].last_word, 3);
  EXPECT_EQ(plan.terms[1].first_word, 7);
  EXPECT_EQ(plan.terms[1].last_word, 11);
  EXPECT_EQ(plan.source_words().size(), 12U);
  EXPECT_EQ(plan.source_words()[3], 1);
  EXPECT_EQ(planner.translation(plan, "Le chat {0} voit les pommes rouges.", {}, /*with_words=*/false).text,
            "Le chat {x} voit les pommes rouges.");
  EXPECT_EQ(planner.plan("The cat <|> sees.", {}, {glossary}).text, "The cat <|> sees.");
  EXPECT_EQ(planner.plan("THE CAT SEES THE TABLE.", {}, {glossary}).text, "The <[> cat<|> chat<]> sees the table.");
  EXPECT_FALSE(planner_.plan("The cat sees.", {}, {glossary}).has_annotations);
}

TEST_F(SegmentPlanTest, AModelWithSymbolsReadsThemInPlaceOfNamesAndGeneratesNoOthers) {
  const auto& symbols = testing::vocabulary_with_symbols();
  const SegmentPlanner planner({.source = symbols, .target = symbols}, {.source = "en", .target = "fr"});
  const auto plan = planner.plan("The {name} sees %s.");
  EXPECT_EQ(plan.text, "The {0} sees {1}.");
  EXPECT_EQ(planner.translation(plan, "Le {0} voit {1}.", {}, /*with_words=*/false).text, "Le {name} voit %s.");
  EXPECT_EQ(planner.forbidden(plan).size(),
            placeholder_symbols().size() - 2 + tag_symbols().size() + term_symbols().size());
  EXPECT_EQ(planner.forbidden(planner.plan("The cat")).size(),
            placeholder_symbols().size() + tag_symbols().size() + term_symbols().size());
  EXPECT_TRUE(planner_.forbidden(planner_.plan("The {name}")).empty());
  const auto capitals = planner.plan("I LOVE THE RED {X} APPLES.");
  EXPECT_EQ(capitals.text, "I love the red {0} apples.");
  EXPECT_EQ(planner.translation(capitals, "J'aime les pommes {0} rouges.", {}, /*with_words=*/false).text,
            "J'AIME LES POMMES {X} ROUGES.");
}

TEST_F(SegmentPlanTest, AModelWithTagsReadsThemAndTheAlignmentFollowsThoseThatItGenerates) {
  const auto& symbols = testing::vocabulary_with_symbols();
  const SegmentPlanner planner({.source = symbols, .target = symbols}, {.source = "en", .target = "fr"});
  const std::string segment = "The cat sees the red apples.";
  const std::vector<TextMark> marks = {{.begin = segment.find("red"), .end = segment.find("red") + 3}};
  const auto plan = planner.plan(segment, {}, {}, marks);
  EXPECT_EQ(plan.text, "The cat sees the <0>red</0> apples.");
  EXPECT_EQ(planner.forbidden(plan).size(),
            placeholder_symbols().size() + tag_symbols().size() - 2 + term_symbols().size());
  // By the alignment alone, "pommes" would be the red ones.
  const Alignment wrong = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}};
  const auto translation =
      planner.translation(plan, "Le chat voit les pommes <0>rouges</0>.", wrong, /*with_words=*/true);
  EXPECT_EQ(translation.text, "Le chat voit les pommes rouges.");
  EXPECT_EQ(translation.alignment, (Alignment{{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 5}}));
  EXPECT_EQ(planner_.plan(segment, {}, {}, marks).text, segment);  // a model without them
}

TEST_F(SegmentPlanTest, TagsInTheTextOfAModelWithTagsComeBackWhereItPutsThem) {
  const auto& symbols = testing::vocabulary_with_symbols();
  const SegmentPlanner planner({.source = symbols, .target = symbols}, {.source = "en", .target = "fr"});
  const auto plan = planner.plan("THE {x} SEES THE <b>RED</b> APPLES.");
  EXPECT_EQ(plan.text, "The {0} sees the <0>red</0> apples.");
  const Alignment wrong = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}};
  EXPECT_EQ(planner.translation(plan, "Le {0} voit les pommes <0>rouges</0>.", wrong, /*with_words=*/false).text,
            "LE {x} VOIT LES POMMES <b>ROUGES</b>.");
  // Without its symbols, the alignment decides.
  EXPECT_EQ(planner.translation(plan, "Le {0} voit les pommes rouges.", wrong, /*with_words=*/false).text,
            "LE {x} VOIT LES <b>POMMES</b> ROUGES.");
}

TEST_F(SegmentPlanTest, SymbolsAtTheEdgesAreCarried) {
  const auto plan = planner_.plan("• The cat sees the table 😀");
  EXPECT_EQ(plan.text, "The cat sees the table");
  EXPECT_EQ(planner_.translation(plan, "Le chat voit la table.", {}, /*with_words=*/false).text,
            "• Le chat voit la table 😀");
}

TEST_F(SegmentPlanTest, PlaceholdersComeBack) {
  const auto plan = planner_.plan("The {name} sees the table");
  EXPECT_EQ(plan.text, "The 7 sees the table");
  EXPECT_EQ(planner_.translation(plan, "Le 7 voit la table.", {}, /*with_words=*/false).text,
            "Le {name} voit la table");
}

TEST_F(SegmentPlanTest, PlaceholdersInCapitalsStayAsTheyAre) {
  const auto plan = planner_.plan("I LOVE THE {name} APPLES.");
  EXPECT_EQ(plan.text, "I love the 7 apples.");
  EXPECT_EQ(planner_.translation(plan, "J'aime les pommes 7.", {}, /*with_words=*/false).text,
            "J'AIME LES POMMES {name}.");
}

TEST_F(SegmentPlanTest, PlaceholdersAndTagsAloneAreCopied) {
  for (const auto* segment : {"{name}", "{a}: {b}", "<b>{a}</b> 12", "%s %d", "#cats"}) {
    EXPECT_TRUE(planner_.plan(segment).is_copied) << segment;
  }
}

TEST_F(SegmentPlanTest, WordsOfNamesAreToldApart) {
  const auto plan = planner_.plan("See {{ a b }} now");
  EXPECT_EQ(plan.text, "See 7 now");
  EXPECT_EQ(plan.source_words(), (std::vector<std::int64_t>{0, 1, 5}));
  EXPECT_EQ(planner_.translation(plan, "Voir 7 maintenant", {}, /*with_words=*/true).words,
            (std::vector<std::int64_t>{0, 1, 5}));
}

/// A glossary by itself.
Glossaries glossary(std::vector<GlossaryTerm> terms) { return {std::make_shared<const Glossary>(std::move(terms))}; }

TEST_F(SegmentPlanTest, TermsStandAtTheirWords) {
  const auto plan = planner_.plan("The cat sees {x} in the garden.", {}, glossary({{"the garden", "le parc"}}));
  ASSERT_EQ(plan.terms.size(), 1U);
  EXPECT_EQ(plan.terms.front().target, "le parc");
  EXPECT_EQ(plan.terms.front().first_word, 5);
  EXPECT_EQ(plan.terms.front().last_word, 6);
}

TEST_F(SegmentPlanTest, KeptTermsAndPlaceholdersWinOverGlossaries) {
  const KeptTerms keep(std::vector<std::string>{"red apples"});
  const std::array<const KeptTerms*, 1> kept = {&keep};
  const auto glossaries = glossary({{"apples", "pommes"}, {"red apples", "pommes rouges"}, {"x", "y"}});
  const auto plan = planner_.plan("The cat sees the red apples and {x}.", kept, glossaries);
  EXPECT_TRUE(plan.terms.empty());
  const auto generated =
      "Le chat voit les " + plan.kept->names[0].stand_in + " et " + plan.kept->names[1].stand_in + ".";
  EXPECT_EQ(planner_.translation(plan, generated, {}, /*with_words=*/false).text,
            "Le chat voit les red apples et {x}.");
}

TEST_F(SegmentPlanTest, TermsWithLettersThatTheVocabularyLacksComeBackAsNamesDo) {
  for (const auto& [source, target] : {std::pair("cat", "Łódź"), std::pair("東京", "chat")}) {
    const auto plan = planner_.plan("The dogs see " + std::string(source) + ".", {}, glossary({{source, target}}));
    ASSERT_TRUE(plan.kept) << source;
    EXPECT_TRUE(plan.terms.empty());
    const auto generated = "Les chiens voient " + plan.kept->names[0].stand_in + ".";
    EXPECT_EQ(planner_.translation(plan, generated, {}, /*with_words=*/false).text,
              "Les chiens voient " + std::string(target) + ".");
  }
}

TEST_F(SegmentPlanTest, ASegmentThatIsATermAloneIsItsTranslation) {
  for (const auto* segment : {"東京", "東京 😀", "<b>東京</b>", "东京 2024-03-12"}) {
    const auto plan = planner_.plan(segment, {}, glossary({{"東京", "Tokyo"}}));
    std::string expected = segment;
    if (const auto at = expected.find("東京"); at != std::string::npos) {
      expected.replace(at, std::string("東京").size(), "Tokyo");
    }
    EXPECT_TRUE(plan.is_copied);
    EXPECT_EQ(planner_.translation(plan, "", {}, /*with_words=*/false).text, expected);
  }
}

TEST_F(SegmentPlanTest, AGlossaryWithoutAMatchChangesNothing) {
  for (const auto* segment : {"The cat sees {x}.", "I LOVE THE RED APPLES.", "2024-03-12", "<b>The cat</b> 😀"}) {
    const auto with = planner_.plan(segment, {}, glossary({{"dogs", "chiens"}, {"東京", "Tokyo"}}));
    const auto without = planner_.plan(segment);
    EXPECT_TRUE(with.terms.empty());
    EXPECT_EQ(with.text, without.text);
    EXPECT_EQ(with.before + "|" + with.after, without.before + "|" + without.after);
    EXPECT_EQ(with.is_copied, without.is_copied);
  }
}

}  // namespace
}  // namespace translate
