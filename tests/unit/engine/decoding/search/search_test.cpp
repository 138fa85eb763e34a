#include "decoding/search/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "unit/engine/decoding/search/fake_model.h"

namespace translate::testing {
namespace {

constexpr std::int64_t kListedVocabulary = 12;

FakeTraits listed_traits() { return {.vocabulary = kListedVocabulary}; }

/// Each of 30 source subwords has three translations.
std::shared_ptr<const Shortlist> some_shortlist() {
  std::vector<std::vector<std::uint32_t>> lists(30);
  for (std::uint32_t i = 0; i < lists.size(); ++i) {
    lists[i] = {4 + i % 8, 4 + 3 * i % 8, 4 + 5 * i % 8};
  }
  return std::make_shared<const Shortlist>(
      shortlist_file(lists, 3), "shortlist",
      ListedVocabularies{.source = 30, .target = kListedVocabulary, .eos = kSpecial.eos});
}

/// The subwords that are not on a list.
Ids unlisted(const Ids& listed) {
  Ids result;
  for (std::int64_t subword = 0; subword < kListedVocabulary; ++subword) {
    if (!std::ranges::binary_search(listed, subword)) {
      result.push_back(subword);
    }
  }
  return result;
}

void expect_equal(const std::vector<Hypothesis>& found, const std::vector<Hypothesis>& expected,
                  const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].ids, expected[i].ids) << what;
    EXPECT_EQ(found[i].truncated, expected[i].truncated) << what;
    EXPECT_NEAR(found[i].score, expected[i].score, 1e-4) << what;
  }
}

/// With a shortlist, any search finds what it finds if all other subwords are forbidden.
TEST(Shortlist, IsASearchAmongItsSubwords) {
  const FakeModel model(listed_traits());
  std::vector<SearchOptions> searches = {search_options(1), search_options(4)};
  searches.push_back(search_options(3));
  searches.back().decoding.no_repeat_ngram = 1;
  searches.back().decoding.repetition_penalty = 1.5;
  searches.back().decoding.min_length = 3;
  for (const auto epsilon : {0.0, 0.1}) {
    searches.push_back(search_options(5));
    searches.back().decoding.sampling = true;
    searches.back().decoding.epsilon = epsilon;
    searches.back().decoding.top_k = epsilon > 0.0 ? 0 : 3;
  }
  for (std::size_t number = 0; number < searches.size(); ++number) {
    for (std::int64_t i = 4; i < 24; ++i) {
      auto plain = fake_sentence({i, 5}, 6);
      if (i % 3 == 0) {
        plain.prefix = {4 + i % 8, 11};
      }
      auto options = searches[number];
      options.shortlist = some_shortlist();
      const auto listed = listed_subwords(options, plain);
      EXPECT_LE(listed.size(), 9U);
      auto forbidding = plain;
      forbidding.forbidden = unlisted(listed);
      expect_equal(decode_alone(model, options, plain), decode_alone(model, searches[number], forbidding),
                   "search " + std::to_string(number) + ", sentence " + std::to_string(i));
    }
  }
}

TEST(Shortlist, HasTheSubwordsThatASentenceMustHave) {
  auto options = search_options(3);
  auto sentence = fake_sentence({5}, 8);
  EXPECT_TRUE(listed_subwords(options, sentence).empty()) << "without a shortlist";
  options.shortlist = std::make_shared<const Shortlist>(
      shortlist_file(std::vector<std::vector<std::uint32_t>>(30), 0), "shortlist",
      ListedVocabularies{.source = 30, .target = kListedVocabulary, .eos = kSpecial.eos});
  EXPECT_EQ(listed_subwords(options, sentence), Ids{kSpecial.eos});
  sentence.prefix = {9};
  sentence.terms = std::make_shared<const RequiredTerms>(
      std::vector<RequiredTerm>{{.text = "term", .forms = {{.subwords = {6, 7}}, {.subwords = {8}}}}},
      std::make_shared<const WordEdges>());
  EXPECT_EQ(listed_subwords(options, sentence), (Ids{kSpecial.eos, 6, 7, 8, 9}));
  const FakeModel model(listed_traits());
  for (const auto& hypothesis : decode_alone(model, options, sentence)) {
    EXPECT_TRUE(hypothesis.missing_terms.empty());
    EXPECT_EQ(hypothesis.ids.front(), 9);
  }
}

/// Scores are those of the model, whatever it may generate.
TEST(Shortlist, DoesNotChangeTheScoreOfAGivenTarget) {
  const FakeModel model(listed_traits());
  auto options = search_options(1);
  auto sentence = fake_sentence({5, 6}, 8);
  sentence.scoring = true;
  sentence.prefix = {7, 9, 10, kSpecial.eos};
  const auto expected = decode_alone(model, options, sentence);
  options.shortlist = some_shortlist();
  EXPECT_EQ(decode_alone(model, options, sentence).front().score, expected.front().score);
}

}  // namespace
}  // namespace translate::testing
