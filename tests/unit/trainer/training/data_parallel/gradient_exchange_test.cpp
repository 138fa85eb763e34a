#include "training/data_parallel/gradient_exchange.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "processes/process_place.h"
#include "support/process_threads.h"

namespace translate::trainer {
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

/// The exchange of one process, with shards or without.
class Exchange {
 public:
  Exchange(const Parameters& parameters, ProcessGroup& group, OptimizerSharding sharding, std::int64_t bucket_bytes,
           Precision wire = Precision::kFp32)
      : parameters_(parameters.named()) {
    const bool sharded = sharding == OptimizerSharding::kRows;
    const auto buckets =
        divide_into_buckets(parameters_, {.bytes = bucket_bytes, .parts = sharded ? group.size() : 1, .undivided = {}});
    if (sharded) {
      shards_.emplace(parameters_, buckets, group);
    }
    exchange_.emplace(parameters_, buckets, group, wire, shards_ ? &*shards_ : nullptr);
  }

  GradientExchange* operator->() { return &*exchange_; }

  /// The gradients by parameter name: with shards, each process has those of its own rows.
  [[nodiscard]] std::map<std::string, at::Tensor> gradients() const {
    std::map<std::string, at::Tensor> gradients;
    for (const auto& [name, tensor] : shards_ ? shards_->own() : parameters_) {
      gradients.emplace(name, tensor.grad());
    }
    return gradients;
  }

  /// Expects that each gradient that this process has is `value`, or that it is not defined.
  void expect_gradient(const std::string& name, std::optional<double> value) const {
    const auto all = gradients();
    const auto found = all.find(name);
    if (found == all.end()) {
      EXPECT_TRUE(shards_) << "without shards, each process has all gradients";
      return;
    }
    ASSERT_EQ(found->second.defined(), value.has_value()) << name;
    if (value) {
      EXPECT_TRUE(found->second.equal(at::full_like(found->second, *value))) << name << "\n" << found->second;
    }
  }

 private:
  NamedTensors parameters_;
  std::optional<ParameterShards> shards_;
  std::optional<GradientExchange> exchange_;
};

using Case = std::tuple<std::int64_t, OptimizerSharding>;

class GradientExchangeTest : public ::testing::TestWithParam<Case> {
 protected:
  static Exchange exchange(const Parameters& parameters, ProcessGroup& group) {
    const auto [bucket_bytes, sharding] = GetParam();
    return {parameters, group, sharding, bucket_bytes};
  }
};

TEST_P(GradientExchangeTest, GradientsAreTheSumsOfAllProcessesDivided) {
  in_group(3, [](ProcessGroup& group) {
    Parameters parameters;
    auto exchange = GradientExchangeTest::exchange(parameters, group);
    for (int update = 1; update <= 3; ++update) {
      const double factor = (group.rank() + 1) * update;
      parameters.loss(10.0, /*all=*/false).backward();  // an earlier batch of the update
      exchange->begin_last_pass();
      parameters.loss(factor, /*all=*/group.rank() == 1 && update != 2).backward();
      exchange->finish([] { return 4.0; });
      exchange.expect_gradient("parameter_0", (30.0 + 6.0 * update) / 4.0);
      exchange.expect_gradient("parameter_1", 2.0 * (30.0 + 6.0 * update) / 4.0);
      exchange.expect_gradient("parameter_2", update == 2 ? std::nullopt : std::make_optional(0.25));
      parameters.clear();
    }
  });
}

TEST_P(GradientExchangeTest, AProcessWithoutABatchContributesNothing) {
  in_group(2, [](ProcessGroup& group) {
    Parameters parameters;
    auto exchange = GradientExchangeTest::exchange(parameters, group);
    if (group.is_first()) {
      exchange->begin_last_pass();
      parameters.loss(3.0, /*all=*/true).backward();
    }
    exchange->finish([] { return 1.0; });
    exchange.expect_gradient("parameter_0", 3.0);
  });
}

TEST_P(GradientExchangeTest, ARepeatedPassChangesNothing) {
  in_group(2, [](ProcessGroup& group) {
    Parameters parameters;
    auto exchange = GradientExchangeTest::exchange(parameters, group);
    exchange->begin_last_pass();
    parameters.loss(3.0, /*all=*/true).backward();
    if (group.rank() == 1) {  // as after a failed allocation
      parameters.clear();
      parameters.loss(1.0, /*all=*/false).backward();
      exchange->begin_last_pass();
      parameters.loss(2.0, /*all=*/true).backward();
    }
    exchange->finish([] { return 1.0; });
    exchange.expect_gradient("parameter_0", 6.0);
    exchange.expect_gradient("parameter_1", 12.0);
  });
}

INSTANTIATE_TEST_SUITE_P(BucketsAndShards, GradientExchangeTest,
                         ::testing::Combine(::testing::Values(1, 40, 1 << 20),
                                            ::testing::Values(OptimizerSharding::kNone, OptimizerSharding::kRows)));

TEST(GradientExchange, WithShardsEachRowIsInOneProcess) {
  in_group(2, [](ProcessGroup& group) {
    Parameters parameters;
    Exchange exchange(parameters, group, OptimizerSharding::kRows, /*bucket_bytes=*/1 << 20);
    exchange->finish([] { return 1.0; });
    std::int64_t values = 0;
    for (const auto& [name, gradient] : exchange.gradients()) {
      EXPECT_FALSE(gradient.defined()) << "no process has computed one";
    }
    parameters.loss(1.0, /*all=*/true).backward();
    exchange->finish([] { return 1.0; });
    for (const auto& [name, gradient] : exchange.gradients()) {
      values += gradient.numel();
    }
    const auto all = at::full({1}, static_cast<double>(values));
    group.sum(all);
    EXPECT_EQ(all.item<double>(), 12 + 5 + 4);
    for (const auto& [name, parameter] : parameters.named()) {
      EXPECT_FALSE(parameter.grad().defined()) << "their memory is given back";
    }
  });
}

TEST(GradientExchange, InBf16GradientsAreRounded) {
  for (const auto sharding : {OptimizerSharding::kNone, OptimizerSharding::kRows}) {
    in_group(2, [sharding](ProcessGroup& group) {
      Parameters parameters;
      Exchange exchange(parameters, group, sharding, /*bucket_bytes=*/1 << 20, Precision::kBf16);
      exchange->begin_last_pass();
      parameters.loss(1.0 / 3.0, /*all=*/true).backward();
      exchange->finish([] { return 1.0; });
      for (const auto& [name, gradient] : exchange.gradients()) {
        const double value = name == "parameter_0" ? 2.0 / 3.0 : name == "parameter_1" ? 4.0 / 3.0 : 2.0;
        EXPECT_TRUE(gradient.allclose(at::full_like(gradient, value), /*rtol=*/0.01));
        if (name != "parameter_2") {
          EXPECT_FALSE(gradient.allclose(at::full_like(gradient, value), /*rtol=*/1e-6)) << "sent in single precision";
        }
      }
    });
  }
}

}  // namespace
}  // namespace translate::trainer
