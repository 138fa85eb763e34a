#include "decoding/term_requirement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "unit/engine/segments/small_vocabulary.h"

namespace translate {
namespace {

class TermRequirementTest : public ::testing::Test {
 protected:
  /// Whether a form of the term says that a translation that reads `text` has it.
  [[nodiscard]] bool has(const std::string& term, bool is_raised, const std::string& text) const {
    const RequiredTerms terms({{.text = term, .forms = requirement_.forms(term, is_raised)}},
                              std::make_shared<const WordEdges>(vocabulary_));
    TermProgress progress(terms);
    std::ranges::for_each(vocabulary_.encode(text), [&](std::int64_t subword) { progress.add(subword); });
    return progress.is_complete();
  }

  /// Decoded behind other words, each form of a term reads as the term.
  void expect_forms_read(const std::string& term) const {
    const auto forms = requirement_.forms(term, /*is_raised=*/false);
    EXPECT_FALSE(forms.empty());
    for (const auto& form : forms) {
      auto text = vocabulary_.decode(form.subwords);
      text.erase(0, text.find_first_not_of(' '));
      EXPECT_EQ(text, form.begins_text ? capitalized(term, "fr") : term);
    }
  }

  const Tokenizer& vocabulary_ = testing::small_vocabulary();
  const TermRequirement requirement_{vocabulary_, vocabulary_, "fr"};
};

TEST_F(TermRequirementTest, FormsReadAsTheTerm) {
  for (const auto* term : {"chat", "pommes rouges", "été", "jardin (table)", "C", "12"}) {
    expect_forms_read(term);
  }
}

TEST_F(TermRequirementTest, ATermIsFoundBehindSpacesAndApostrophes) {
  EXPECT_TRUE(has("été", false, "Un été dans le jardin."));
  EXPECT_TRUE(has("été", false, "Le chat voit l'été."));
  EXPECT_TRUE(has("pommes rouges", false, "(pommes rouges)"));
  EXPECT_FALSE(has("pommes", false, "Le jardin."));
}

TEST_F(TermRequirementTest, ACapitalCountsAtTheBeginningOrWhereTheSourceHasOne) {
  EXPECT_TRUE(has("chat", false, "Chat et table"));
  EXPECT_FALSE(has("chat", false, "Le Chat et la table"));
  EXPECT_TRUE(has("chat", true, "Le Chat et la table"));
}

TEST_F(TermRequirementTest, WhatTheVocabularyLacksCannotBeWritten) {
  EXPECT_TRUE(requirement_.forms("Łódź", false).empty());
  Sentence sentence;
  sentence.encoder_input = vocabulary_.encode("The cat");
  sentence.encoder_input.insert(sentence.encoder_input.begin(), vocabulary_.special_tokens().sos);
  sentence.encoder_input.push_back(vocabulary_.special_tokens().eos);
  const std::vector<PlannedTerm> terms = {{.first_word = 1, .last_word = 1, .target = "Łódź"}};
  EXPECT_THAT(requirement_.apply(terms, "The cat", sentence), ::testing::ElementsAre("Łódź"));
  EXPECT_EQ(sentence.terms, nullptr);
}

TEST_F(TermRequirementTest, TermsKnowTheSubwordsOfTheirSource) {
  const std::string text = "The cat sees the red apples.";
  Sentence sentence;
  sentence.encoder_input = encoder_input_ids(vocabulary_, text);
  const std::vector<PlannedTerm> terms = {{.first_word = 1, .last_word = 1, .target = "chat"},
                                          {.first_word = 4, .last_word = 5, .target = "pommes"}};
  EXPECT_TRUE(requirement_.apply(terms, text, sentence).empty());
  ASSERT_NE(sentence.terms, nullptr);
  const auto read = [&](const RequiredTerm& term) {
    const std::vector<std::int64_t> ids(sentence.encoder_input.begin() + term.source_begin,
                                        sentence.encoder_input.begin() + term.source_end);
    const auto read_text = vocabulary_.decode(ids);
    return read_text.substr(std::min(read_text.find_first_not_of(' '), read_text.size()));
  };
  EXPECT_EQ(read(sentence.terms->terms()[0]), "cat");
  EXPECT_EQ(read(sentence.terms->terms()[1]), "red apples.");
}

TEST_F(TermRequirementTest, ATextInCapitalsRaisesTheTerm) {
  const std::string text = "THE CAT";
  Sentence sentence;
  sentence.encoder_input = encoder_input_ids(vocabulary_, text);
  const std::vector<PlannedTerm> terms = {{.first_word = 1, .last_word = 1, .target = "chat"}};
  EXPECT_TRUE(requirement_.apply(terms, text, sentence).empty());
  for (const auto& form : sentence.terms->terms().front().forms) {
    EXPECT_NE(vocabulary_.decode(form.subwords).find("CHAT"), std::string::npos);
  }
}

TEST_F(TermRequirementTest, AFreeSearchIsRepeatedWhereItsResultLacksATerm) {
  const std::string text = "The cat";
  Sentence sentence;
  sentence.encoder_input = encoder_input_ids(vocabulary_, text);
  const std::vector<PlannedTerm> terms = {{.first_word = 1, .last_word = 1, .target = "chat"}};
  const auto add_hypothesis = [&](const std::string& translation) {
    sentence.hypotheses.emplace_back().ids = vocabulary_.encode(translation);
  };
  EXPECT_FALSE(needs_constrained_search(sentence));
  EXPECT_TRUE(requirement_.apply(terms, text, sentence).empty());
  add_hypothesis("Le chien");
  EXPECT_FALSE(needs_constrained_search(sentence));  // the search has looked at the terms
  sentence.is_unconstrained = true;
  sentence.hypotheses.clear();
  add_hypothesis("Le chat");
  EXPECT_FALSE(needs_constrained_search(sentence));
  add_hypothesis("Le chien");
  EXPECT_TRUE(needs_constrained_search(sentence));
  EXPECT_FALSE(sentence.is_unconstrained);
  EXPECT_TRUE(sentence.hypotheses.empty());
}

}  // namespace
}  // namespace translate
