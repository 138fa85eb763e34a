#include "decoding/search/sampled_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "unit/engine/decoding/plain_search.h"

namespace translate::testing {
namespace {

SearchOptions sampling_options(std::int64_t samples) {
  auto options = search_options(1);
  options.decoding.sampling = true;
  options.decoding.n_best = samples;
  return options;
}

/// How often each first subword was drawn; with a limit of one subword the target is that subword, or nothing.
std::map<std::int64_t, double> draw_counts(const FakeTraits& traits, const SearchOptions& options) {
  const FakeModel model(traits);
  std::map<std::int64_t, double> counts;
  for (const auto& hypothesis : decode_alone(model, options, fake_sentence({4, 9}, 1))) {
    counts[hypothesis.ids.empty() ? kSpecial.eos : hypothesis.ids.front()] += 1.0;
  }
  return counts;
}

/// The probabilities that draws should have: of logits over the temperature.
std::vector<double> probabilities(const FakeTraits& traits, double temperature) {
  auto scores = next_scores(traits, fake_sentence({4, 9}, 1))({});
  double sum = 0.0;
  for (auto& score : scores) {
    score = std::exp(score / temperature);
    sum += score;
  }
  for (auto& score : scores) {
    score /= sum;
  }
  return scores;
}

double chi_square(const std::map<std::int64_t, double>& counts, const std::vector<double>& expected, double draws) {
  double sum = 0.0;
  for (std::size_t subword = 0; subword < expected.size(); ++subword) {
    const auto found = counts.find(static_cast<std::int64_t>(subword));
    const double count = found == counts.end() ? 0.0 : found->second;
    if (expected[subword] == 0.0) {
      EXPECT_EQ(count, 0.0) << "piece " << subword;
      continue;
    }
    const double wanted = draws * expected[subword];
    sum += (count - wanted) * (count - wanted) / wanted;
  }
  return sum;
}

TEST(SampledSearch, DrawsByTheProbabilities) {
  FakeTraits traits;
  traits.vocabulary = 14;  // eos and 10 words: 10 degrees of freedom, beyond 35.6 once in 10,000 times
  for (const double temperature : {0.5, 1.0, 2.0}) {
    auto options = sampling_options(20000);
    options.decoding.temperature = temperature;
    EXPECT_LT(chi_square(draw_counts(traits, options), probabilities(traits, temperature), 20000), 35.6)
        << "temperature " << temperature;
  }
}

TEST(SampledSearch, TopKKeepsTheLikeliest) {
  FakeTraits traits;
  traits.vocabulary = 14;
  auto options = sampling_options(20000);
  options.decoding.top_k = 3;
  auto expected = probabilities(traits, 1.0);
  auto sorted = expected;
  std::ranges::sort(sorted, std::greater<>());
  const double kept = sorted[0] + sorted[1] + sorted[2];
  for (auto& probability : expected) {
    probability = probability < sorted[2] ? 0.0 : probability / kept;
  }
  EXPECT_LT(chi_square(draw_counts(traits, options), expected, 20000), 18.4);  // 2 degrees of freedom
  options.decoding.top_k = 1;
  EXPECT_EQ(draw_counts(traits, options).size(), 1U);
}

TEST(SampledSearch, TopPKeepsTheFewestThatReachIt) {
  FakeTraits traits;
  traits.vocabulary = 404;  // more than the first look at a nucleus
  traits.spread = 0.7;
  for (const double top_p : {0.1, 0.5, 0.9, 0.999}) {
    auto options = sampling_options(20000);
    options.decoding.top_p = top_p;
    auto sorted = probabilities(traits, 1.0);
    std::ranges::sort(sorted, std::greater<>());
    double sum = 0.0;
    double least = 0.0;
    for (std::size_t i = 0; sum < top_p; ++i) {
      sum += sorted[i];
      least = sorted[i];
    }
    auto expected = probabilities(traits, 1.0);
    std::size_t kept = 0;
    for (auto& probability : expected) {
      probability = probability < least ? 0.0 : probability / sum;
      kept += probability > 0.0 ? 1 : 0;
    }
    const auto freedom = static_cast<double>(kept) - 1.0;
    EXPECT_LT(chi_square(draw_counts(traits, options), expected, 20000), freedom + 5.0 * std::sqrt(2.0 * freedom) + 10)
        << "top_p " << top_p;
  }
}

/// What transformers' EpsilonLogitsWarper leaves of probabilities, renormalised: those of at least epsilon, and those
/// that no other exceeds.
std::vector<double> at_least(std::vector<double> probabilities, double epsilon) {
  const double most = *std::ranges::max_element(probabilities);
  double kept = 0.0;
  for (auto& probability : probabilities) {
    probability = probability < epsilon && probability < most ? 0.0 : probability;
    kept += probability;
  }
  for (auto& probability : probabilities) {
    probability /= kept;
  }
  return probabilities;
}

TEST(SampledSearch, EpsilonDropsTheUnlikelyAndOnlyThese) {
  FakeTraits traits;
  traits.vocabulary = 34;
  for (const double temperature : {0.7, 1.0, 1.5}) {
    for (const double epsilon : {0.01, 0.03, 0.08}) {
      auto options = sampling_options(20000);
      options.decoding.temperature = temperature;
      options.decoding.epsilon = epsilon;
      const auto all = probabilities(traits, temperature);
      const auto expected = at_least(all, epsilon);
      const auto freedom = static_cast<double>(std::ranges::count_if(expected, [](double p) { return p > 0.0; })) - 1.0;
      ASSERT_LT(freedom + 1.0, std::ranges::count_if(all, [](double p) { return p > 0.0; }));  // some are dropped
      EXPECT_LT(chi_square(draw_counts(traits, options), expected, 20000),
                freedom + 5.0 * std::sqrt(2.0 * freedom) + 10)
          << "temperature " << temperature << ", epsilon " << epsilon;
    }
  }
}

TEST(SampledSearch, EpsilonKeepsTheLikeliestHoweverUnlikely) {
  FakeTraits traits;
  traits.vocabulary = 34;
  auto options = sampling_options(200);
  options.decoding.epsilon = 1.0;
  const auto all = probabilities(traits, 1.0);
  const auto likeliest = std::ranges::max_element(all) - all.begin();
  const std::map<std::int64_t, double> expected = {{likeliest, 200.0}};
  EXPECT_EQ(draw_counts(traits, options), expected);
}

TEST(SampledSearch, EpsilonAppliesToWhatTopKLeaves) {
  FakeTraits traits;
  traits.vocabulary = 34;
  auto options = sampling_options(20000);
  options.decoding.top_k = 4;
  auto sorted = probabilities(traits, 1.0);
  std::ranges::sort(sorted, std::greater<>());
  const double kept = sorted[0] + sorted[1] + sorted[2] + sorted[3];
  auto among_four = probabilities(traits, 1.0);
  for (auto& probability : among_four) {
    probability = probability < sorted[3] ? 0.0 : probability / kept;
  }
  options.decoding.epsilon = (sorted[2] + sorted[3]) / 2.0 / kept;  // of the four, the least likely one is below it
  const auto expected = at_least(among_four, options.decoding.epsilon);
  ASSERT_EQ(std::ranges::count(expected, 0.0), 31);
  EXPECT_LT(chi_square(draw_counts(traits, options), expected, 20000), 18.4);  // 2 degrees of freedom
}

TEST(SampledSearch, AnEpsilonBelowAllProbabilitiesChangesNothing) {
  FakeTraits traits;
  traits.vocabulary = 50;
  const FakeModel model(traits);
  const auto draw = [&](double epsilon) {
    auto options = sampling_options(40);
    options.decoding.epsilon = epsilon;
    std::vector<std::pair<Ids, double>> drawn;
    for (const auto& hypothesis : decode_alone(model, options, fake_sentence({4}, 12))) {
      drawn.emplace_back(hypothesis.ids, hypothesis.score);
    }
    return drawn;
  };
  EXPECT_EQ(draw(1e-9), draw(0.0));
  EXPECT_NE(draw(0.03), draw(0.0));
}

TEST(SampledSearch, WholeTargetsComeByTheirProbability) {
  const FakeTraits traits;
  const FakeModel model(traits);
  const auto sentence = fake_sentence({4, 8}, 3);
  constexpr std::int64_t kDraws = 30000;
  const auto options = sampling_options(kDraws);
  std::map<Ids, double> counts;
  for (const auto& hypothesis : decode_alone(model, options, sentence)) {
    auto generated = hypothesis.ids;
    if (!hypothesis.truncated) {
      generated.push_back(kSpecial.eos);
    }
    counts[generated] += 1.0;
  }
  double sum = 0.0;
  const auto all = all_targets(next_scores(traits, sentence), sentence.max_length, options.decoding);
  for (const auto& target : all) {
    auto generated = target.ids;
    if (target.ended) {
      generated.push_back(kSpecial.eos);
    }
    const double wanted = kDraws * std::exp(target.sum);
    sum += (counts[generated] - wanted) * (counts[generated] - wanted) / wanted;
  }
  EXPECT_EQ(all.size(), 40U);
  EXPECT_LT(sum, 39.0 + 5.0 * std::sqrt(2.0 * 39.0));
}

TEST(SampledSearch, TheSeedDecides) {
  FakeTraits traits;
  traits.vocabulary = 50;
  const FakeModel model(traits);
  auto options = sampling_options(5);
  const auto texts = [&](std::uint64_t seed, std::uint64_t key) {
    options.decoding.seed = seed;
    auto sentence = fake_sentence({4}, 12);
    sentence.random_key = key;
    std::vector<Ids> ids;
    for (const auto& hypothesis : decode_alone(model, options, sentence)) {
      ids.push_back(hypothesis.ids);
    }
    return ids;
  };
  const auto first = texts(1, 1);
  EXPECT_EQ(first.size(), 5U);
  EXPECT_EQ(std::set<Ids>(first.begin(), first.end()).size(), 5U);  // samples differ from each other
  EXPECT_EQ(texts(1, 1), first);
  EXPECT_NE(texts(2, 1), first);
  EXPECT_NE(texts(1, 2), first);
}

TEST(SampledSearch, MoreSamplesBeginWithTheSameOnes) {
  FakeTraits traits;
  traits.vocabulary = 50;
  const FakeModel model(traits);
  const auto sample = [&](std::int64_t count) {
    std::set<Ids> ids;
    for (const auto& hypothesis : decode_alone(model, sampling_options(count), fake_sentence({4}, 12))) {
      ids.insert(hypothesis.ids);
    }
    return ids;
  };
  const auto few = sample(3);
  const auto many = sample(8);
  EXPECT_TRUE(std::ranges::includes(many, few));
}

TEST(SampledSearch, SamplesWithEqualSubwordsSoFarShareARow) {
  FakeTraits traits;
  traits.vocabulary = 9;
  const auto sentence = fake_sentence({4}, 6);
  const FakeModel together(traits);
  auto drawn = decode_alone(together, sampling_options(60), sentence);
  std::ranges::sort(drawn, {}, &Hypothesis::draw);
  std::set<Ids> beginnings;  // that something was drawn after
  for (std::int64_t i = 0; i < std::ssize(drawn); ++i) {
    auto single = sentence;
    single.first_draw = i;
    const auto alone = decode_alone(FakeModel(traits), sampling_options(1), single).front();
    const auto& sample = drawn[static_cast<std::size_t>(i)];
    EXPECT_EQ(sample.ids, alone.ids);
    EXPECT_EQ(sample.score, alone.score);
    for (auto begin = alone.ids.begin(); begin != alone.ids.end(); ++begin) {
      beginnings.emplace(alone.ids.begin(), begin);
    }
    if (!alone.truncated) {
      beginnings.insert(alone.ids);
    }
  }
  EXPECT_EQ(together.row_steps, std::ssize(beginnings));
  EXPECT_LT(together.row_steps, 60 * 6);
}

TEST(SampledSearch, ScoresAreTheModelsAndSorted) {
  const FakeTraits traits;
  const FakeModel model(traits);
  auto options = sampling_options(30);
  options.decoding.temperature = 3.0;
  const auto sentence = fake_sentence({6}, 5);
  const auto next = next_scores(traits, sentence);
  double previous = std::numeric_limits<double>::infinity();
  for (const auto& hypothesis : decode_alone(model, options, sentence)) {
    Plain plain{.ids = {}, .sum = 0.0, .ended = !hypothesis.truncated};
    for (const auto id : hypothesis.ids) {
      plain.sum += next(plain.ids)[static_cast<std::size_t>(id)];
      plain.ids.push_back(id);
    }
    if (plain.ended) {
      plain.sum += next(plain.ids)[2];
    }
    EXPECT_NEAR(hypothesis.score, plain.sum, 1e-4);
    EXPECT_NEAR(hypothesis.normalized_score, plain.normalized(options.decoding), 1e-4);
    EXPECT_LE(hypothesis.normalized_score, previous);
    previous = hypothesis.normalized_score;
  }
}

TEST(SampledSearch, KeepsToConstraintsAndPrefix) {
  const FakeModel model(FakeTraits{});
  auto options = sampling_options(200);
  options.decoding.min_length = 4;
  options.decoding.no_repeat_ngram = 2;
  auto sentence = fake_sentence({6}, 8);
  sentence.prefix = {5};
  for (const auto& hypothesis : decode_alone(model, options, sentence)) {
    ASSERT_GE(hypothesis.ids.size(), 4U);
    EXPECT_EQ(hypothesis.ids.front(), 5);
    std::set<std::pair<std::int64_t, std::int64_t>> pairs;
    for (std::size_t i = 1; i < hypothesis.ids.size(); ++i) {
      EXPECT_TRUE(pairs.insert({hypothesis.ids[i - 1], hypothesis.ids[i]}).second);
    }
  }
}

}  // namespace
}  // namespace translate::testing
