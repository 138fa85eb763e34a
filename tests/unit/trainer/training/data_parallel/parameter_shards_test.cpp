#include "training/data_parallel/parameter_shards.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "support/process_threads.h"
#include "training/optimizer/optimizer.h"

namespace translate::trainer {
namespace {

constexpr int kProcesses = 3;

/// The same parameters in each process.
NamedTensors parameters() {
  NamedTensors named;
  std::int64_t count = 0;
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{8, 4}, {5}, {6, 6}, {2, 3}}) {
    const auto size = at::empty(shape).numel();
    auto values = at::arange(count, count + size, at::kFloat).div(100.0).sin().view(shape);
    named.emplace_back("parameter_" + std::to_string(named.size()), values.set_requires_grad(true));
    count += size;
  }
  return named;
}

at::Tensor gradient_of(const at::Tensor& parameter, int update) { return (parameter.detach() * 3.0 + update).cos(); }

std::vector<GradientBucket> divided(const NamedTensors& parameters, const LayerMatrices& matrices = {}) {
  BucketOptions options{.bytes = 100, .parts = kProcesses, .undivided = {}};
  for (const auto& [name, heads] : matrices) {
    options.undivided.insert(name);
  }
  return divide_into_buckets(parameters, options);
}

std::map<std::string, at::Tensor> by_name(const NamedTensors& named) { return {named.begin(), named.end()}; }

TEST(ParameterShards, GatherAndScatterAreInverse) {
  in_group(kProcesses, [](ProcessGroup& group) {
    const auto all = parameters();
    ParameterShards shards(all, divided(all), group);
    NamedTensors moments;
    if (group.is_first()) {
      moments = {{"parameter_2", at::rand({6, 6})}, {"parameter_0", at::rand({8, 4})}};
    }
    const auto own = shards.scatter(moments);
    for (const auto& [name, rows] : own) {
      EXPECT_TRUE(name == "parameter_0" || name == "parameter_2");
      EXPECT_LT(rows.size(0), 8);
    }
    const auto gathered = by_name(shards.gather(own));
    ASSERT_EQ(gathered.size(), moments.size()) << "only the first process gets them";
    for (const auto& [name, tensor] : moments) {
      EXPECT_TRUE(gathered.at(name).equal(tensor)) << name;
    }
  });
}

TEST(ParameterShards, WeightsThatEachProcessChangesReachAll) {
  in_group(kProcesses, [](ProcessGroup& group) {
    const auto all = parameters();
    ParameterShards shards(all, divided(all), group);
    for (const auto& [name, rows] : shards.own()) {
      at::Tensor(rows).mul_(-2.0);
    }
    shards.share_weights();
    const auto expected = parameters();
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_TRUE(all[i].second.equal(expected[i].second * -2.0)) << all[i].first;
    }
  });
}

TEST(ParameterShards, NormsAreThoseOfWholeTensors) {
  in_group(kProcesses, [](ProcessGroup& group) {
    const auto all = parameters();
    ParameterShards shards(all, divided(all), group);
    std::vector<at::Tensor> own;
    for (const auto& [name, rows] : shards.own()) {
      own.push_back(rows.norm());
    }
    const auto norms = shards.whole_norms(own.empty() ? at::empty({0}) : at::stack(own));
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_NEAR(norms[static_cast<std::int64_t>(i)].item<double>(), all[i].second.norm().item<double>(), 1e-5);
    }
  });
}

class ShardedOptimizer : public ::testing::TestWithParam<OptimizerType> {
 protected:
  static OptimizerOptions options() {
    OptimizerOptions options;
    options.type = GetParam();
    options.weight_decay = 0.1;
    return options;
  }

  static LayerMatrices matrices() {
    return GetParam() == OptimizerType::kMuon ? LayerMatrices{{"parameter_0", 2}, {"parameter_2", 1}} : LayerMatrices();
  }
};

TEST_P(ShardedOptimizer, MakesTheUpdatesOfAnUndividedOne) {
  constexpr double kClip = 0.5;  // below the norm
  const auto whole = parameters();
  Optimizer undivided(whole, options(), matrices());
  for (int update = 1; update <= 3; ++update) {
    for (const auto& [name, parameter] : whole) {
      at::Tensor(parameter).mutable_grad() = gradient_of(parameter, update);
    }
    undivided.step(0.01, kClip);
  }
  in_group(kProcesses, [&](ProcessGroup& group) {
    const auto all = parameters();
    ParameterShards shards(all, divided(all, matrices()), group);
    Optimizer optimizer(shards, options(), matrices());
    for (int update = 1; update <= 3; ++update) {
      for (const auto& [name, rows] : shards.own()) {
        at::Tensor(rows).mutable_grad() = gradient_of(rows, update);
      }
      optimizer.step(0.01, kClip);
      shards.share_weights();
    }
    EXPECT_FALSE(optimizer.refused());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_TRUE(all[i].second.allclose(whole[i].second, /*rtol=*/1e-5, /*atol=*/1e-6)) << all[i].first;
    }
    const auto first = by_name(shards.gather(optimizer.exp_avg()));
    const auto second = by_name(shards.gather(optimizer.exp_avg_sq()));
    if (group.is_first()) {
      ASSERT_EQ(first.size(), undivided.exp_avg().size());
      for (const auto& [name, moment] : undivided.exp_avg()) {
        EXPECT_TRUE(first.at(name).allclose(moment, /*rtol=*/1e-4, /*atol=*/1e-6)) << name;
      }
      ASSERT_EQ(second.size(), undivided.exp_avg_sq().size());
      for (const auto& [name, moment] : undivided.exp_avg_sq()) {
        EXPECT_TRUE(second.at(name).allclose(moment, /*rtol=*/1e-4, /*atol=*/1e-8)) << name;
      }
    }
  });
}

TEST_P(ShardedOptimizer, AllRefuseAGradientThatIsNotFiniteInOne) {
  in_group(kProcesses, [](ProcessGroup& group) {
    const auto all = parameters();
    ParameterShards shards(all, divided(all, matrices()), group);
    Optimizer optimizer(shards, options(), matrices());
    for (const auto& [name, rows] : shards.own()) {
      at::Tensor(rows).mutable_grad() = gradient_of(rows, /*update=*/1);
      if (name == "parameter_2") {
        rows.grad().view({-1})[0].fill_(std::numeric_limits<float>::infinity());
      }
    }
    optimizer.step(0.01);
    const auto refused = optimizer.refused();
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->gradient, "parameter_2");
    const auto before = parameters();
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_TRUE(all[i].second.equal(before[i].second)) << "nothing was updated";
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Types, ShardedOptimizer, ::testing::Values(OptimizerType::kAdam, OptimizerType::kMuon));

}  // namespace
}  // namespace translate::trainer
