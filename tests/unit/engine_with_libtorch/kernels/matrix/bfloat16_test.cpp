#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "kernels/matrix/packed_matrix.h"

namespace translate {
namespace {

class Bfloat16 : public ::testing::Test {
 protected:
  void SetUp() override { at::manual_seed(3); }
};

/// The numbers of some terms, the lower half of each first.
at::Tensor numbers_of(const std::vector<float>& terms) {
  auto numbers = at::empty({static_cast<std::int64_t>(2 * terms.size())}, at::kBFloat16);
  std::memcpy(numbers.mutable_data_ptr(), terms.data(), terms.size() * sizeof(float));
  return numbers;
}

TEST_F(Bfloat16, RoundsToNearestAsLibTorchDoes) {
  for (const std::int64_t count : {1, 2, 15, 16, 17, 31, 32, 33, 64, 129}) {
    const auto x = at::randn({count}) * at::pow(10.0, at::randn({count}) * 8);
    std::vector<float> terms(static_cast<std::size_t>(terms_of(count, FactorType::kBfloat16)) + 1, 5.0F);
    round_to_terms(x.const_data_ptr<float>(), count, terms.data());
    EXPECT_EQ(terms.back(), 5.0F) << "wrote beyond its end";
    terms.pop_back();
    const auto numbers = numbers_of(terms);
    EXPECT_TRUE(at::equal(numbers.slice(0, 0, count), x.to(at::kBFloat16))) << count;
    EXPECT_TRUE(numbers.slice(0, count).eq(0).all().item<bool>()) << count;
  }
}

TEST_F(Bfloat16, RoundsTiesToEvenAndKeepsNaN) {
  const float tie = 1.0F + 1.0F / 256.0F;        // between 1 and 1 + 1 / 128
  const float other_tie = 1.0F + 3.0F / 256.0F;  // between 1 + 1 / 128 and 1 + 2 / 128
  const std::vector<float> x{tie, other_tie, std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()};
  std::vector<float> terms(2);
  round_to_terms(x.data(), 4, terms.data());
  const auto numbers = numbers_of(terms).to(at::kFloat);
  EXPECT_EQ(numbers[0].item<float>(), 1.0F);
  EXPECT_EQ(numbers[1].item<float>(), 1.0F + 2.0F / 128.0F);
  EXPECT_EQ(numbers[2].item<float>(), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(at::isnan(numbers[3]).item<bool>());
}

TEST_F(Bfloat16, TwoRowsMakeARowOfTermsTogetherOrOneAfterTheOther) {
  constexpr std::int64_t kPanels = 3;
  constexpr std::int64_t kToNext = 20;
  const auto lower = at::randn({kPanels * 16});
  const auto upper = at::randn({kPanels * 16});
  std::vector<float> together(kPanels * kToNext, 7.0F);
  round_to_panels(lower.const_data_ptr<float>(), upper.const_data_ptr<float>(), kPanels, together.data(), kToNext);
  std::vector<float> apart(kPanels * kToNext, 7.0F);
  round_to_panels(nullptr, upper.const_data_ptr<float>(), kPanels, apart.data(), kToNext);
  round_to_panels(lower.const_data_ptr<float>(), nullptr, kPanels, apart.data(), kToNext);
  EXPECT_EQ(std::memcmp(together.data(), apart.data(), together.size() * sizeof(float)), 0);
  for (std::int64_t panel = 0; panel < kPanels; ++panel) {
    const auto* first = together.data() + panel * kToNext;
    const auto numbers = numbers_of({first, first + 16}).view({16, 2});
    EXPECT_TRUE(at::equal(numbers.select(1, 0), lower.slice(0, 16 * panel, 16 * panel + 16).to(at::kBFloat16)));
    EXPECT_TRUE(at::equal(numbers.select(1, 1), upper.slice(0, 16 * panel, 16 * panel + 16).to(at::kBFloat16)));
  }
}

TEST_F(Bfloat16, ALeftFactorInSinglePrecisionStaysWhereItIs) {
  const auto x = at::randn({5, 9});
  FloatBuffer scratch;
  const ConstRows rows{x.const_data_ptr<float>(), 9};
  EXPECT_EQ(left_terms(FactorType::kFloat, rows, 5, 9, scratch).data, rows.data);
  const auto terms = left_terms(FactorType::kBfloat16, rows, 5, 9, scratch);
  EXPECT_EQ(terms.stride, 5);
  const auto numbers = numbers_of({terms.data, terms.data + 25}).view({5, 10});
  EXPECT_TRUE(at::equal(numbers.slice(1, 0, 9), x.to(at::kBFloat16)));
  EXPECT_TRUE(numbers.select(1, 9).eq(0).all().item<bool>());
}

}  // namespace
}  // namespace translate
