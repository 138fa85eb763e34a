#include "alignment/candidate_links.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace translate {
namespace {

using ::testing::ElementsAre;

NumberedText text_of(const std::vector<std::vector<std::uint32_t>>& sentences) {
  NumberedText text;
  for (const auto& sentence : sentences) {
    text.add(sentence);
  }
  return text;
}

TEST(CandidateLinks, AreThePairsThatOccurTogether) {
  const auto source = text_of({{0, 1, 0}, {0, 2}});
  const auto target = text_of({{0}, {1, 2}});
  const auto links = find_candidate_links({.text = source, .words = 3}, {.text = target, .words = 3}, 10);
  EXPECT_THAT(links.row_begins, ElementsAre(0U, 3U, 4U, 6U));
  EXPECT_THAT(links.targets, ElementsAre(0U, 1U, 2U, 0U, 1U, 2U));
}

TEST(CandidateLinks, AreBoundedAndKeepTheBestPartners) {
  // Source word i occurs with target word i; word 0 of either side is in all sentences.
  std::vector<std::vector<std::uint32_t>> sentences;
  for (std::uint32_t i = 0; i < 200; ++i) {
    sentences.push_back({0, 1 + i % 20, 1 + i * 7 % 20});
  }
  const auto text = text_of(sentences);
  const auto links = find_candidate_links({.text = text, .words = 21}, {.text = text, .words = 21}, 2);
  EXPECT_LE(links.targets.size(), 2U * 42U);
  for (std::uint32_t word = 1; word < 21; ++word) {
    const auto begin = links.targets.begin() + static_cast<std::ptrdiff_t>(links.row_begins[word]);
    const auto end = links.targets.begin() + static_cast<std::ptrdiff_t>(links.row_begins[word + 1]);
    EXPECT_TRUE(std::binary_search(begin, end, word)) << word;
  }
}

TEST(LogLikelihoodRatio, IsZeroForIndependentWordsAndSigned) {
  EXPECT_NEAR(log_likelihood_ratio(25, 50, 50, 100), 0.0, 1e-9);
  EXPECT_NEAR(log_likelihood_ratio(50, 50, 50, 100), 2.0 * 100.0 * std::log(2.0), 1e-9);
  EXPECT_NEAR(log_likelihood_ratio(0, 50, 50, 100), -2.0 * 100.0 * std::log(2.0), 1e-9);
}

}  // namespace
}  // namespace translate
