#include "segments/glossary.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace translate {
namespace {

Glossaries one(std::vector<GlossaryTerm> terms) { return {std::make_shared<const Glossary>(std::move(terms))}; }

/// The terms that a text has, each as its place in the source, "=" and its target.
std::vector<std::string> found(const std::string& text, const Glossaries& glossaries) {
  std::vector<std::string> all;
  for (const auto& term : find_terms(text, glossaries)) {
    all.push_back(text.substr(term.range.begin, term.range.end - term.range.begin) + "=" + term.target);
  }
  return all;
}

using Terms = std::vector<std::string>;

TEST(Glossary, TheLongestTermOfEachPlaceIsFound) {
  const auto glossaries = one({{"hot dog", "saucisse"}, {"dog", "chien"}, {"dog house", "niche"}});
  EXPECT_EQ(found("A hot dog, a dog house and dogs.", glossaries), (Terms{"hot dog=saucisse", "dog house=niche"}));
  EXPECT_EQ(found("DOG dog", glossaries), (Terms{"DOG=chien", "dog=chien"}));
  EXPECT_EQ(found("", glossaries), Terms{});
  EXPECT_EQ(found("A dog.", {}), Terms{});
}

TEST(Glossary, ATermWithACapitalMatchesAsItIsWritten) {
  const auto glossaries = one({{"Turkey", "Turquie"}, {"turkey", "dinde"}});
  EXPECT_EQ(found("Roast turkey in Turkey", glossaries), (Terms{"turkey=dinde", "Turkey=Turquie"}));
  EXPECT_EQ(found("Nice is nice", one({{"Nice", "Nice"}})), Terms{"Nice=Nice"});
  EXPECT_EQ(found("NICE IS WARM", one({{"Nice", "Nice"}})), Terms{"NICE=Nice"});
}

TEST(Glossary, CapitalsOfTheSourceAreTold) {
  const auto terms = find_terms("Dogs and dogs in Paris", one({{"dogs", "chiens"}, {"Paris", "Paris"}}));
  ASSERT_EQ(terms.size(), 3U);
  EXPECT_TRUE(terms[0].is_raised);
  EXPECT_FALSE(terms[1].is_raised);
  EXPECT_FALSE(terms[2].is_raised);
}

TEST(Glossary, GlossariesInFrontWinUnlessAnotherHasALongerTerm) {
  auto both = one({{"dog", "chien"}});
  both.push_back(one({{"dog", "clébard"}, {"big dog", "molosse"}}).front());
  EXPECT_EQ(found("A dog and a big dog", both), (Terms{"dog=chien", "big dog=molosse"}));
}

TEST(Glossary, OfTermsWithTheSameSourceTheFirstCounts) {
  EXPECT_EQ(found("A dog", one({{" dog", " chien "}, {"dog", "clébard"}})), Terms{"dog=chien"});
}

TEST(Glossary, FaultsAreNamed) {
  const std::string longest(GlossaryTerm::kMostBytes, 'a');
  EXPECT_FALSE(fault_of({.source = "dog", .target = longest}));
  EXPECT_EQ(fault_of({.source = "dog", .target = longest + "a"}),
            "the target term has 1001 bytes; expected at most 1000");
  EXPECT_EQ(fault_of({.source = " ", .target = "chien"}), "the source term is empty");
  EXPECT_EQ(fault_of({.source = "dog", .target = ""}), "the target term is empty");
  EXPECT_EQ(fault_of({.source = "dog\xff", .target = "chien"}), "the source term is not valid UTF-8");
  EXPECT_EQ(fault_of({.source = "dog", .target = "chi\nen"}),
            "the target term has a control character; expected text alone");
}

TEST(Glossary, ManyTermsAreFoundInALongText) {
  std::vector<GlossaryTerm> terms;
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    terms.push_back({.source = "word " + std::to_string(i), .target = "mot " + std::to_string(i)});
  }
  Terms expected;
  for (int i = 0; i < 100'000; i += 101) {
    text += "some word " + std::to_string(i) + ", ";
    expected.push_back("word " + std::to_string(i) + "=mot " + std::to_string(i));
  }
  EXPECT_EQ(found(text, one(std::move(terms))), expected);
}

}  // namespace
}  // namespace translate
