#include "decoding/candidate_combinations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>

namespace translate {
namespace {

double sum_of(const std::vector<std::vector<double>>& scores, const std::vector<std::size_t>& choice) {
  double sum = 0.0;
  for (std::size_t i = 0; i < choice.size(); ++i) {
    sum += scores[i].at(choice[i]);
  }
  return sum;
}

/// The sums of all combinations, the highest first.
std::vector<double> all_sums(const std::vector<std::vector<double>>& scores) {
  std::vector<double> sums = {0.0};
  for (const auto& part : scores) {
    std::vector<double> longer;
    for (const auto sum : sums) {
      for (const auto score : part) {
        longer.push_back(sum + score);
      }
    }
    sums = std::move(longer);
  }
  std::ranges::sort(sums, std::greater());
  return sums;
}

TEST(CandidateCombinations, ComeBestFirstEachOnceAndAllOfThem) {
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    std::vector<std::vector<double>> scores(1 + random() % 5);
    for (auto& part : scores) {
      part.resize(1 + random() % 4);
      std::ranges::generate(part, [&] { return -static_cast<double>(random() % 1000); });
      std::ranges::sort(part, std::greater());
    }
    CandidateCombinations combinations(scores);
    std::set<std::vector<std::size_t>> seen;
    for (const auto expected : all_sums(scores)) {
      const auto choice = combinations.next();
      ASSERT_TRUE(choice);
      EXPECT_EQ(sum_of(scores, *choice), expected);
      EXPECT_TRUE(seen.insert(*choice).second);
    }
    EXPECT_FALSE(combinations.next());
  }
}

TEST(CandidateCombinations, TheFirstTakesTheBestOfEachPart) {
  CandidateCombinations combinations({{-1.0, -2.0}, {-3.0}, {-0.5, -0.5}});
  EXPECT_EQ(combinations.next(), (std::vector<std::size_t>{0, 0, 0}));
}

TEST(CandidateCombinations, OfManyPartsTheFirstFewComeAtOnce) {
  CandidateCombinations combinations(std::vector<std::vector<double>>(200, {-1.0, -2.0, -3.0}));  // 3^200 of them
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(combinations.next());
  }
}

TEST(CandidateCombinations, OfALineOfMegabytesTakeMemoryInProportionToItsParts) {
  constexpr std::size_t kParts = 200'000;  // squared: 320 GB
  CandidateCombinations combinations(std::vector<std::vector<double>>(kParts, {-1.0, -2.0}));
  for (std::size_t i = 0; i < 10; ++i) {
    const auto choice = combinations.next();
    ASSERT_TRUE(choice);
    EXPECT_EQ(std::ranges::count(*choice, 1U), i == 0 ? 0 : 1);
  }
}

}  // namespace
}  // namespace translate
