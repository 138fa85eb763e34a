#include "alignment/partner_ratios.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "alignment/aligner_training.h"
#include "core/error.h"
#include "core/random_numbers.h"
#include "core/threads.h"

namespace translate {
namespace {

struct IdSentences {
  std::vector<std::int32_t> source;
  std::vector<std::int32_t> target;
};

/// Sentences of ten of 200 words; word n is translated by 1000 + n.
std::vector<IdSentences> word_by_word(std::size_t count) {
  std::vector<IdSentences> pairs(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t word = 0; word < 10; ++word) {
      const auto id = static_cast<std::int32_t>(mix_seeds({i, word}) % 200);
      pairs[i].source.push_back(id);
      pairs[i].target.push_back(1000 + id);
    }
  }
  return pairs;
}

PartnerRatios ratios_after(const std::vector<IdSentences>& pairs, const AlignerOptions& options = {}) {
  return train_partner_ratios(
      pairs.size(), [&](std::size_t i) { return IdPair{.source = pairs[i].source, .target = pairs[i].target}; },
      options);
}

WordRatios ratios_of(const PartnerRatios& ratios, const std::vector<std::int32_t>& source,
                     const std::vector<std::int32_t>& target) {
  WordRatios found;
  ratios.find(source, target, found);
  return found;
}

TEST(PartnerRatios, WordsWithTheirTranslationsAreMoreProbableAndOthersLess) {
  const auto found = ratios_of(ratios_after(word_by_word(2000)), {1, 2, 3, 4}, {1001, 1002, 1150, 1160});
  for (const std::size_t word : {0U, 1U}) {
    EXPECT_GT(found.source[word], 1.0F);
    EXPECT_GT(found.target[word], 1.0F);
    EXPECT_LT(found.source[word + 2], -1.0F);
    EXPECT_LT(found.target[word + 2], -1.0F);
  }
}

TEST(PartnerRatios, LieWithinTheirBounds) {
  const auto pairs = word_by_word(500);
  const auto ratios = ratios_after(pairs);
  for (std::size_t i = 0; i + 1 < pairs.size(); ++i) {
    const auto found = ratios_of(ratios, pairs[i].source, pairs[i + 1].target);
    for (const auto* side : {&found.source, &found.target}) {
      for (const auto ratio : *side) {
        EXPECT_LE(std::abs(ratio), PartnerRatios::kMost);
      }
    }
  }
}

TEST(PartnerRatios, APairOfRareWordsDoesNotExplainItself) {
  auto pairs = word_by_word(2000);
  for (std::int32_t i = 0; i < 50; ++i) {  // of words that occur once each
    pairs.push_back({.source = {5000 + 2 * i, 5001 + 2 * i, 1, 2}, .target = {7000 + 2 * i, 7001 + 2 * i, 1150, 1160}});
  }
  const auto ratios = ratios_after(pairs);
  const auto with = ratios_of(ratios, pairs.back().source, pairs.back().target);
  const auto unseen = ratios_of(ratios, {6000, 6001, 1, 2}, {8000, 8001, 1150, 1160});
  EXPECT_NEAR(with.source[0], unseen.source[0], 0.3F);
  EXPECT_NEAR(with.target[0], unseen.target[0], 0.3F);
}

TEST(PartnerRatios, AreZeroBesideNothing) {
  const auto ratios = ratios_after(word_by_word(200));
  EXPECT_EQ(ratios_of(ratios, {1, 2}, {}).source, std::vector<float>(2, 0.0F));
  EXPECT_TRUE(ratios_of(ratios, {1, 2}, {}).target.empty());
}

TEST(PartnerRatios, DoNotDependOnTheNumberOfThreads) {
  const auto pairs = word_by_word(3000);
  const int before = kernel_threads();
  set_kernel_threads(1);
  const auto one = ratios_of(ratios_after(pairs), pairs[5].source, pairs[6].target);
  set_kernel_threads(4);
  const auto four = ratios_of(ratios_after(pairs), pairs[5].source, pairs[6].target);
  set_kernel_threads(before);
  EXPECT_EQ(one.source, four.source);
  EXPECT_EQ(one.target, four.target);
}

TEST(PartnerRatios, OptionsAreChecked) {
  EXPECT_THROW((void)ratios_after(word_by_word(10), {.model_1_iterations = 0}), ConfigError);
  const auto ratios = ratios_after({});
  EXPECT_EQ(ratios_of(ratios, {1}, {2}).source.size(), 1U);
}

TEST(Translations, AreTheLikeliestFirst) {
  auto pairs = word_by_word(2000);
  for (auto& pair : pairs) {
    if (!pair.source.empty() && pair.source.front() % 3 == 0) {
      pair.target.front() += 5000;  // another translation of one word in three, now and then
    }
  }
  const auto translations = train_translations(
      pairs.size(), [&](std::size_t i) { return IdPair{.source = pairs[i].source, .target = pairs[i].target}; },
      /*most=*/2, /*least=*/1e-3F);
  EXPECT_EQ(translations.size(), 200U);
  for (const auto& [source, targets] : translations) {
    ASSERT_FALSE(targets.empty());
    EXPECT_LE(targets.size(), 2U);
    EXPECT_EQ(targets.front(), 1000 + source);
    if (source % 3 == 0) {
      EXPECT_EQ(targets.back(), 6000 + source);
    }
  }
}

}  // namespace
}  // namespace translate
