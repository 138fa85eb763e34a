#include "decoding/consensus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "metrics/bleu.h"
#include "metrics/chrf.h"

namespace translate {
namespace {

using Texts = std::vector<std::string>;

/// The candidate with the highest mean sentence score against all candidates, one pair at a time; of equal ones the
/// earliest.
std::string plain_choice(const CorpusMetric& metric, const Texts& candidates) {
  double best = -std::numeric_limits<double>::infinity();
  std::string chosen;
  for (const auto& candidate : candidates) {
    double sum = 0.0;
    for (const auto& reference : candidates) {
      sum += metric.sentence_score(metric.count(candidate, {&reference, 1}));
    }
    if (sum > best + 1e-9) {
      best = sum;
      chosen = candidate;
    }
  }
  return chosen;
}

template <typename Metric>
std::string choice(const Metric& metric, const Texts& candidates) {
  const auto pool = pool_candidates(candidates);
  return pool.texts[first_greatest(expected_utilities(pool, metric.pairwise_scores(pool.texts)))];
}

/// Candidates as samples are: similar, some of them equal.
Texts similar_texts(std::mt19937& random) {
  const Texts subjects = {"le chat", "un chat", "mon chat"};
  const Texts verbs = {" dort", " est assis", " mange"};
  const Texts ends = {"", ".", " dans le jardin.", " au jardin."};
  Texts texts(3 + random() % 12);
  std::ranges::generate(texts, [&] {
    return subjects[random() % subjects.size()] + verbs[random() % verbs.size()] + ends[random() % ends.size()];
  });
  return texts;
}

TEST(CandidatePool, HoldsEachTextOnceInTheOrderOfItsFirst) {
  const auto pool = pool_candidates({"b", "a", "b", "", "a", "b"});
  EXPECT_EQ(pool.texts, (Texts{"b", "a", ""}));
  EXPECT_EQ(pool.counts, (std::vector<std::int64_t>{3, 2, 1}));
  EXPECT_EQ(pool.earliest, (std::vector<std::size_t>{0, 1, 3}));
  EXPECT_TRUE(pool_candidates({}).texts.empty());
}

TEST(ExpectedUtilities, AreMeansOverAllCandidates) {
  const CandidatePool pool{.texts = {"a", "b"}, .counts = {3, 1}, .earliest = {0, 1}};
  EXPECT_EQ(expected_utilities(pool, std::vector<double>{100.0, 20.0, 40.0, 60.0}), (std::vector<double>{80.0, 45.0}));
}

TEST(Consensus, IsThatOfTheDefinition) {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    const auto texts = similar_texts(random);
    EXPECT_EQ(choice(Chrf(), texts), plain_choice(Chrf(), texts)) << ::testing::PrintToString(texts);
    EXPECT_EQ(choice(Bleu(), texts), plain_choice(Bleu(), texts)) << ::testing::PrintToString(texts);
  }
}

TEST(Consensus, DoesNotDependOnWhichOfEqualCandidatesComesFirst) {
  std::mt19937 random(6);
  for (int round = 0; round < 100; ++round) {
    const auto texts = similar_texts(random);
    const auto pool = pool_candidates(texts);
    auto grouped = Texts();  // equal ones side by side, in the order of their first
    for (std::size_t i = 0; i < pool.texts.size(); ++i) {
      grouped.insert(grouped.end(), static_cast<std::size_t>(pool.counts[i]), pool.texts[i]);
    }
    EXPECT_EQ(choice(Chrf(), grouped), choice(Chrf(), texts));
    EXPECT_EQ(choice(Bleu(), grouped), choice(Bleu(), texts));
  }
}

TEST(Consensus, HasTheSameUtilityInAnyOrderOfTheCandidates) {
  std::mt19937 random(8);
  const auto greatest = [](const Texts& candidates) {
    const auto pool = pool_candidates(candidates);
    return std::ranges::max(expected_utilities(pool, Chrf().pairwise_scores(pool.texts)));
  };
  for (int round = 0; round < 100; ++round) {
    auto texts = similar_texts(random);
    const double utility = greatest(texts);
    std::ranges::shuffle(texts, random);
    EXPECT_NEAR(greatest(texts), utility, 1e-9);
  }
}

TEST(Consensus, FrequentTextsWinOverRareOnes) {
  EXPECT_EQ(choice(Chrf(), {"abc", "xyz", "xyz"}), "xyz");
  EXPECT_EQ(choice(Chrf(), {"abc", "abc", "xyz"}), "abc");
  EXPECT_EQ(choice(Chrf(), {"", "", "xyz"}), "xyz");  // an empty text agrees with nothing
}

TEST(Consensus, OfEqualValuesTakesTheEarliest) {
  EXPECT_EQ(choice(Chrf(), {"abc", "xyz"}), "abc");
  EXPECT_EQ(choice(Chrf(), {"xyz", "abc"}), "xyz");
  EXPECT_EQ(first_greatest(std::vector<double>{1.0, 2.0, 2.0}), 1U);
}

TEST(Consensus, OfOneCandidateOrEmptyOnesIsThat) {
  EXPECT_EQ(choice(Chrf(), {"abc"}), "abc");
  EXPECT_EQ(choice(Bleu(), {"abc"}), "abc");
  EXPECT_EQ(choice(Chrf(), {""}), "");
  EXPECT_EQ(choice(Bleu(), {"", "", ""}), "");
}

}  // namespace
}  // namespace translate
