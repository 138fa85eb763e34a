#include "training/gradient_exchange.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/process_threads.h"

namespace translate {
namespace {

/// Three parameters and a loss of which each process computes its own share.
class Parameters {
 public:
  Parameters() {
    for (const auto& shape : std::vector<std::vector<std::int64_t>>{{3, 4}, {5}, {2, 2}}) {
      const auto name = "parameter_" + std::to_string(named_.size());
      named_.emplace_back(name, at::ones(shape).set_requires_grad(true));
    }
  }

  [[nodiscard]] const NamedTensors& named() const { return named_; }
  [[nodiscard]] at::Tensor operator[](std::size_t i) const { return named_[i].second; }

  /// The gradients of the first two are `factor` and `2 factor`; the third one takes part only if `all`.
  [[nodiscard]] at::Tensor loss(double factor, bool all) const {
    const auto sum = factor * (*this)[0].sum() + 2.0 * factor * (*this)[1].sum();
    return all ? sum + (*this)[2].sum() : sum;
  }

  void clear() {
    for (auto& [name, parameter] : named_) {
      parameter.mutable_grad() = at::Tensor();
    }
  }

 private:
  NamedTensors named_;
};

class GradientExchangeTest : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(GradientExchangeTest, GradientsAreTheSumsOfAllProcessesDivided) {
  in_group(3, [](ProcessGroup& group) {
    Parameters parameters;
    GradientExchange exchange(parameters.named(), group, Precision::kFp32, GetParam());
    for (int update = 1; update <= 3; ++update) {
      const double factor = (group.rank() + 1) * update;
      parameters.loss(10.0, /*all=*/false).backward();  // an earlier batch of the update
      exchange.begin_last_pass();
      parameters.loss(factor, /*all=*/group.rank() == 1 && update != 2).backward();
      exchange.finish([] { return 4.0; });
      EXPECT_TRUE(parameters[0].grad().equal(at::full({3, 4}, (30.0 + 6.0 * update) / 4.0)));
      EXPECT_TRUE(parameters[1].grad().equal(at::full({5}, 2.0 * (30.0 + 6.0 * update) / 4.0)));
      ASSERT_EQ(parameters[2].grad().defined(), update != 2) << "no process has a gradient in update 2";
      if (update != 2) {
        EXPECT_TRUE(parameters[2].grad().equal(at::full({2, 2}, 0.25)));
      }
      parameters.clear();
    }
  });
}

TEST_P(GradientExchangeTest, AProcessWithoutABatchContributesNothing) {
  in_group(2, [](ProcessGroup& group) {
    Parameters parameters;
    GradientExchange exchange(parameters.named(), group, Precision::kFp32, GetParam());
    if (group.is_first()) {
      exchange.begin_last_pass();
      parameters.loss(3.0, /*all=*/true).backward();
    }
    exchange.finish([] { return 1.0; });
    EXPECT_TRUE(parameters[0].grad().equal(at::full({3, 4}, 3.0)));
  });
}

TEST_P(GradientExchangeTest, ARepeatedPassChangesNothing) {
  in_group(2, [](ProcessGroup& group) {
    Parameters parameters;
    GradientExchange exchange(parameters.named(), group, Precision::kFp32, GetParam());
    exchange.begin_last_pass();
    parameters.loss(3.0, /*all=*/true).backward();
    if (group.rank() == 1) {  // as after a failed allocation
      parameters.clear();
      parameters.loss(1.0, /*all=*/false).backward();
      exchange.begin_last_pass();
      parameters.loss(2.0, /*all=*/true).backward();
    }
    exchange.finish([] { return 1.0; });
    EXPECT_TRUE(parameters[0].grad().equal(at::full({3, 4}, 6.0)));
    EXPECT_TRUE(parameters[1].grad().equal(at::full({5}, 12.0)));
  });
}

INSTANTIATE_TEST_SUITE_P(BucketBytes, GradientExchangeTest, ::testing::Values(1, 40, 1 << 20));

TEST(GradientExchange, InBf16GradientsAreRounded) {
  in_group(2, [](ProcessGroup& group) {
    Parameters parameters;
    GradientExchange exchange(parameters.named(), group, Precision::kBf16);
    exchange.begin_last_pass();
    parameters.loss(1.0 / 3.0, /*all=*/true).backward();
    exchange.finish([] { return 1.0; });
    const auto gradient = parameters[0].grad();
    EXPECT_TRUE(gradient.allclose(at::full({3, 4}, 2.0 / 3.0), /*rtol=*/0.01));
    EXPECT_FALSE(gradient.allclose(at::full({3, 4}, 2.0 / 3.0), /*rtol=*/1e-6)) << "sent in single precision";
  });
}

}  // namespace
}  // namespace translate
