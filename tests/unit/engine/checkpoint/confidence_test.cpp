#include "checkpoint/confidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace translate {
namespace {

using Sentence = Confidence::Sentence;

/// Sentences whose chance of a chrF of 80, and not of 20, rises with the probability.
std::vector<Sentence> drawn_sentences(std::size_t count) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::vector<Sentence> sentences;
  for (std::size_t i = 0; i < count; ++i) {
    const double chance = uniform(random);
    sentences.push_back({.log_probability = chance - 1.0, .chrf = uniform(random) < chance ? 80.0 : 20.0});
  }
  return sentences;
}

TEST(ConfidenceTest, TellsTheShareOfGoodSentencesOfAboutThisProbability) {
  auto sentences = drawn_sentences(20000);
  // More than half of the sentences have a chrF of 80, so that 80 is the median.
  sentences.resize(sentences.size() + 1000, {.log_probability = 1.0, .chrf = 80.0});
  const auto measured = Confidence::measure(sentences);
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->bins().size(), 10U);
  for (const double chance : {0.15, 0.4, 0.6, 0.85}) {
    EXPECT_NEAR(measured->at(chance - 1.0), chance, 0.04) << chance;
  }
  EXPECT_EQ(measured->at(-100.0), measured->bins().front().share);
  EXPECT_EQ(measured->at(100.0), measured->bins().back().share);
}

TEST(ConfidenceTest, NeverFallsAsTheProbabilityRises) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 50; ++round) {
    std::vector<Sentence> sentences;
    for (int i = 0; i < 150; ++i) {
      sentences.push_back({.log_probability = normal(random), .chrf = normal(random)});
    }
    const auto measured = Confidence::measure(sentences);
    ASSERT_TRUE(measured);
    double before = 0.0;
    for (double place = -4.0; place < 4.0; place += 0.01) {
      const double now = measured->at(place);
      EXPECT_GE(now, before);
      EXPECT_LE(now, 1.0);
      before = now;
    }
  }
}

TEST(ConfidenceTest, PerfectTranslationsAreAllGood) {
  std::vector<Sentence> sentences(100, {.log_probability = -0.5, .chrf = 100.0});
  const auto measured = Confidence::measure(sentences);
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->at(-0.5), 1.0);
  EXPECT_EQ(measured->at(-5.0), 1.0);
}

TEST(ConfidenceTest, FewSentencesGiveNone) {
  EXPECT_FALSE(Confidence::measure({}));
  EXPECT_FALSE(Confidence::measure(std::vector<Sentence>(99)));
  EXPECT_TRUE(Confidence::measure(std::vector<Sentence>(100)));
}

TEST(ConfidenceTest, DoesNotDependOnTheOrderOfTheSentences) {
  auto sentences = drawn_sentences(500);
  const auto measured = Confidence::measure(sentences);
  std::ranges::shuffle(sentences, std::mt19937(1));
  const auto shuffled = Confidence::measure(sentences);
  ASSERT_TRUE(measured && shuffled);
  for (std::size_t i = 0; i < measured->bins().size(); ++i) {
    EXPECT_EQ(measured->bins()[i].share, shuffled->bins()[i].share);
    EXPECT_NEAR(measured->bins()[i].log_probability, shuffled->bins()[i].log_probability, 1e-12);
  }
}

}  // namespace
}  // namespace translate
