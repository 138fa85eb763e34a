#include "decoding/search/required_term_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "unit/engine/decoding/plain_search.h"

namespace translate::testing {
namespace {

constexpr std::int64_t kVocabulary = 9;  // words from 4 on

Sentence sentence_with(const Ids& words, const std::vector<Ids>& terms, std::int64_t max_length) {
  auto sentence = fake_sentence(words, max_length);
  std::vector<RequiredTerm> required;
  for (const auto& subwords : terms) {
    required.push_back({.text = std::to_string(required.size()),
                        .forms = {{.subwords = subwords}},
                        .source_begin = 1,
                        .source_end = 2});
  }
  sentence.terms = std::make_shared<const RequiredTerms>(std::move(required), std::make_shared<const WordEdges>());
  return sentence;
}

std::vector<Ids> random_terms(std::mt19937_64& random, std::size_t most) {
  std::vector<Ids> terms(1 + random() % most);
  for (auto& term : terms) {
    term.resize(1 + random() % 3);
    std::ranges::generate(term, [&] { return static_cast<std::int64_t>(4 + random() % (kVocabulary - 4)); });
  }
  return terms;
}

std::int64_t subwords_of(const std::vector<Ids>& terms) {
  std::int64_t sum = 0;
  for (const auto& term : terms) {
    sum += std::ssize(term);
  }
  return sum;
}

bool lacks_none(const Sentence& sentence, const Ids& ids) {
  TermProgress progress(*sentence.terms);
  std::ranges::for_each(ids, [&](std::int64_t subword) { progress.add(subword); });
  return progress.is_complete();
}

TEST(RequiredTermSearch, EveryHypothesisHasEveryTermWhateverTheBeam) {
  FakeTraits traits;
  traits.vocabulary = kVocabulary;
  const FakeModel model(traits);
  std::mt19937_64 random(1);
  for (int round = 0; round < 400; ++round) {
    const auto terms = random_terms(random, 4);
    auto options = search_options(1 + static_cast<std::int64_t>(random() % 6));
    auto sentence =
        sentence_with({round, 4, 5}, terms, subwords_of(terms) + 2 + static_cast<std::int64_t>(random() % 9));
    sentence.is_aligned = round % 2 == 0;
    options.decoding.no_repeat_ngram = round % 3 == 0 ? 2 : 0;
    const auto found = decode_alone(model, options, sentence);
    ASSERT_FALSE(found.empty());
    for (const auto& hypothesis : found) {
      EXPECT_TRUE(lacks_none(sentence, hypothesis.ids)) << "round " << round;
      EXPECT_THAT(hypothesis.missing_terms, ::testing::IsEmpty());
    }
  }
}

TEST(RequiredTermSearch, WideEnoughMostlyFindsTheBestOfTheTargetsWithAllTerms) {
  int best = 0;
  FakeTraits traits;
  const FakeModel model(traits);  // 3 words besides eos
  std::mt19937_64 random(2);
  for (std::int64_t i = 0; i < 30; ++i) {
    auto options = search_options(/*beam_size=*/700);
    options.decoding.n_best = 1;
    const auto sentence = sentence_with({i, 4}, {{static_cast<std::int64_t>(4 + random() % 3)}}, 5);
    auto expected = all_targets(next_scores(traits, sentence), sentence.max_length, options.decoding);
    std::erase_if(expected, [&](const Plain& one) { return !lacks_none(sentence, one.ids); });
    const auto found = decode_alone(model, options, sentence);
    ASSERT_EQ(found.size(), 1U);
    const auto place = std::ranges::find_if(expected, [&](const Plain& one) {
      return one.ids == found.front().ids && one.ended == !found.front().truncated;
    });
    ASSERT_NE(place, expected.end());
    EXPECT_NEAR(place->normalized(options.decoding), found.front().normalized_score, 1e-4);
    best += place == expected.begin() ? 1 : 0;
  }
  // A hypothesis that would end without the term goes on with the term alone, and so does one near the limit: those
  // may miss the best one.
  EXPECT_GE(best, 20);
}

TEST(RequiredTermSearch, OnlyTheLengthLimitLeavesTermsOutAndSaysWhich) {
  FakeTraits traits;
  traits.vocabulary = kVocabulary;
  const FakeModel model(traits);
  for (std::int64_t length = 1; length < 6; ++length) {
    const auto sentence = sentence_with({1, 4}, {{4, 5, 6}, {7, 8}}, length);
    for (const auto& hypothesis : decode_alone(model, search_options(4), sentence)) {
      EXPECT_TRUE(hypothesis.truncated);
      TermProgress progress(*sentence.terms);
      std::ranges::for_each(hypothesis.ids, [&](std::int64_t subword) { progress.add(subword); });
      EXPECT_EQ(hypothesis.missing_terms, progress.missing());
      EXPECT_EQ(hypothesis.missing_terms.empty(), length >= 5) << length;
    }
  }
}

TEST(RequiredTermSearch, ATermThatTheModelWritesAnywayChangesNothing) {
  FakeTraits traits;
  traits.vocabulary = kVocabulary;
  const FakeModel model(traits);
  int same = 0;
  for (std::int64_t i = 0; i < 50; ++i) {
    auto options = search_options(8);
    options.decoding.n_best = 1;
    const auto free = decode_alone(model, options, fake_sentence({i, 4}, 8)).front();
    if (free.ids.empty()) {
      continue;
    }
    const auto sentence = sentence_with({i, 4}, {{free.ids.front()}}, 8);
    const auto found = decode_alone(model, options, sentence).front();
    same += found.ids == free.ids ? 1 : 0;
    EXPECT_TRUE(lacks_none(sentence, found.ids));
  }
  EXPECT_GE(same, 20);
}

TEST(RequiredTermSearch, APrefixStaysAndCounts) {
  FakeTraits traits;
  traits.vocabulary = kVocabulary;
  const FakeModel model(traits);
  for (std::int64_t i = 0; i < 20; ++i) {
    auto sentence = sentence_with({i, 4}, {{5, 6}, {8}}, 9);
    sentence.prefix = {5, 6, 7};
    for (const auto& hypothesis : decode_alone(model, search_options(3), sentence)) {
      ASSERT_GE(hypothesis.ids.size(), 3U);
      EXPECT_TRUE(std::equal(sentence.prefix.begin(), sentence.prefix.end(), hypothesis.ids.begin()));
      EXPECT_TRUE(lacks_none(sentence, hypothesis.ids));
    }
  }
}

TEST(RequiredTermSearch, ScoringIgnoresTerms) {
  const FakeModel model(FakeTraits{});
  auto sentence = sentence_with({1, 4}, {{5}}, 3);
  sentence.prefix = {4, 6, kSpecial.eos};
  sentence.scoring = true;
  const auto scored = decode_alone(model, search_options(3), sentence);
  ASSERT_EQ(scored.size(), 1U);
  EXPECT_EQ(scored.front().ids, (Ids{4, 6}));
}

}  // namespace
}  // namespace translate::testing
