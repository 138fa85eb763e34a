#include "training/optimizer/muon.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "core/error.h"
#include "kernels/matrix/polar_factor.h"
#include "support/thread_count.h"
#include "training/optimizer/optimizer.h"

namespace translate::trainer {
namespace {

constexpr OptimizerOptions kMuon{.type = OptimizerType::kMuon};
constexpr std::int64_t kHeads = 2;

/// A model that has the parameters of layer().
LayerMatrices matrices_of_layer() {
  ModelOptions model;
  model.d_model = 8;
  model.d_ff = 20;
  model.num_heads = kHeads;
  return layer_matrices(model);
}

/// Matrices of a layer, and what Muon leaves to Adam.
NamedTensors layer() {
  at::manual_seed(3);
  const auto random = [](at::IntArrayRef shape) { return at::randn(shape).requires_grad_(); };
  return {{"encoder.layers.0.self_attention_block.w_q.weight", random({8, 8})},
          {"encoder.layers.0.self_attention_block.w_o.weight", random({8, 8})},
          {"encoder.layers.0.feed_forward_block.linear_1.weight", random({20, 8})},
          {"encoder.layers.0.feed_forward_block.linear_1.bias", random({20})},
          {"src_embed.embedding.weight", random({30, 8})}};
}

void set_gradients(const NamedTensors& parameters, std::uint64_t seed, double scale = 1.0) {
  at::manual_seed(seed);
  for (const auto& [name, parameter] : parameters) {
    at::Tensor(parameter).mutable_grad() = at::randn(parameter.sizes()) * scale;
  }
}

/// U V^T of each head's rows.
at::Tensor exact_polar_factor(const at::Tensor& matrix, std::int64_t heads) {
  const auto [u, s, vh] = at::linalg_svd(matrix.view({heads, -1, matrix.size(1)}).to(at::kDouble), false);
  return at::matmul(u, vh).reshape_as(matrix).to(at::kFloat);
}

TEST(Muon, IsForTheMatricesOfTheLayers) {
  ModelOptions model;
  model.positions = PositionKind::kLearned;
  model.encoder_layers = 3;
  model.decoder_layers = 2;
  model.num_heads = 4;
  const auto matrices = layer_matrices(model);
  EXPECT_EQ(matrices.size(), 3 * (4 + 2) + 2 * (4 + 4 + 2));
  for (const auto& [name, heads] : matrices) {
    EXPECT_TRUE(name.starts_with("encoder.layers.") || name.starts_with("decoder.layers.")) << name;
    EXPECT_TRUE(name.ends_with(".weight")) << name;
    const bool per_head = name.ends_with("w_q.weight") || name.ends_with("w_k.weight") || name.ends_with("w_v.weight");
    EXPECT_EQ(heads, per_head ? 4 : 1) << name;
  }
}

TEST(Muon, MovesByThePolarFactorOfTheNesterovMomentum) {
  constexpr double kRate = 0.01;
  OptimizerOptions options = kMuon;
  options.weight_decay = 0.1;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto parameters = layer();
    Optimizer optimizer(parameters, options, matrices_of_layer());
    const auto& [name, weight] = parameters[i];
    const auto heads = i == 0 ? kHeads : 1;
    auto momentum = at::zeros_like(weight.detach());
    for (std::uint64_t step = 1; step <= 3; ++step) {
      const auto before = weight.detach().clone();
      set_gradients(parameters, step);
      optimizer.step(kRate);
      momentum = 0.95 * momentum + 0.05 * weight.grad();
      const auto direction = 0.05 * weight.grad() + 0.95 * momentum;
      const auto longer = static_cast<double>(std::max(weight.size(0) / heads, weight.size(1)));
      const auto moved = before * (1.0 - kRate * 0.1) - weight.detach();
      const auto expected = exact_polar_factor(direction, heads) * kRate * 0.2 * std::sqrt(longer);
      EXPECT_LT((moved - expected).norm().item<double>(), 0.15 * expected.norm().item<double>()) << name << step;
    }
  }
}

TEST(Muon, TheKernelAndTheOperatorsAgree) {
  at::manual_seed(4);
  std::vector<at::Tensor> matrices;
  for (const auto& shape : {std::vector<std::int64_t>{4, 16, 64}, {1, 64, 64}, {1, 96, 48}, {1, 48, 96}}) {
    matrices.push_back(at::randn(shape));
  }
  const auto by_default = polar_factors(matrices);
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const auto plain = polar_factors({matrices[i].to(at::kDouble)}).front();
    EXPECT_LT((by_default[i] - plain).norm().item<double>(), 1e-3 * plain.norm().item<double>()) << i;
  }
}

TEST(Muon, NeedsMatrices) { EXPECT_THROW(Optimizer(layer(), kMuon), std::invalid_argument); }

TEST(Muon, OtherParametersAreUpdatedByAdam) {
  const auto with = layer();
  const auto without = layer();
  Optimizer muon(with, kMuon, matrices_of_layer());
  Optimizer adam(without, {});
  for (std::uint64_t step = 1; step <= 3; ++step) {
    set_gradients(with, step);
    set_gradients(without, step);
    muon.step(0.01);
    adam.step(0.01);
  }
  for (std::size_t i = 0; i < with.size(); ++i) {
    EXPECT_EQ(at::equal(with[i].second.detach(), without[i].second.detach()), i >= 3) << with[i].first;
  }
}

TEST(Muon, AClippedUpdateIsTheUpdateWithScaledGradients) {
  const auto clipped = layer();
  const auto scaled = layer();
  Optimizer first(clipped, kMuon, matrices_of_layer());
  Optimizer second(scaled, kMuon, matrices_of_layer());
  for (std::uint64_t step = 1; step <= 3; ++step) {
    set_gradients(clipped, step, static_cast<double>(step));
    set_gradients(scaled, step, static_cast<double>(step));
    std::vector<at::Tensor> norms;
    for (const auto& [name, parameter] : scaled) {
      norms.push_back(parameter.grad().norm());
    }
    const auto norm = at::stack(norms).norm().item<double>();
    ASSERT_GT(norm, 2.0);
    for (const auto& [name, parameter] : scaled) {
      at::Tensor(parameter).mutable_grad() *= 2.0 / norm;
    }
    first.step(0.01, 2.0);
    second.step(0.01);
  }
  for (std::size_t i = 0; i < clipped.size(); ++i) {
    EXPECT_TRUE(at::allclose(clipped[i].second.detach(), scaled[i].second.detach(), 0.0, 1e-5)) << clipped[i].first;
  }
}

TEST(Muon, AGradientThatIsNotFiniteLeavesAllAsItWas) {
  const auto parameters = layer();
  Optimizer optimizer(parameters, kMuon, matrices_of_layer());
  set_gradients(parameters, 1);
  optimizer.step(0.01);
  const auto weight = parameters[2].second.detach().clone();
  const auto momenta = optimizer.exp_avg();
  std::vector<at::Tensor> before;
  for (const auto& [name, value] : momenta) {
    before.push_back(value.clone());
  }
  set_gradients(parameters, 2);
  at::Tensor(parameters[2].second).mutable_grad()[0][0] = std::nan("");
  optimizer.step(0.01);
  EXPECT_TRUE(at::equal(parameters[2].second.detach(), weight));
  for (std::size_t i = 0; i < momenta.size(); ++i) {
    EXPECT_TRUE(at::equal(momenta[i].second, before[i])) << momenta[i].first;
  }
  ASSERT_TRUE(optimizer.refused());
  EXPECT_EQ(optimizer.refused()->gradient, parameters[2].first);
}

TEST(Muon, MatricesWithoutAGradientAreLeftOut) {
  const auto parameters = layer();
  const auto before = parameters[1].second.detach().clone();
  OptimizerOptions options = kMuon;
  options.weight_decay = 0.5;
  Optimizer optimizer(parameters, options, matrices_of_layer());
  set_gradients(parameters, 1);
  at::Tensor(parameters[1].second).mutable_grad() = at::Tensor();
  optimizer.step(0.1);
  EXPECT_TRUE(at::equal(parameters[1].second.detach(), before));
}

TEST(Muon, RestoredMomentsGoOnBitForBit) {
  const auto straight = layer();
  Optimizer first(straight, kMuon, matrices_of_layer());
  set_gradients(straight, 1);
  first.step(0.01);
  NamedTensors copies;
  for (const auto& [name, parameter] : straight) {
    copies.emplace_back(name, parameter.detach().clone().requires_grad_());
  }
  Optimizer second(copies, kMuon, matrices_of_layer());
  second.restore(first.exp_avg(), first.exp_avg_sq(), 1);
  EXPECT_EQ(first.exp_avg().size(), straight.size());
  EXPECT_EQ(first.exp_avg_sq().size(), 2U);  // Adam's alone
  for (std::uint64_t step = 2; step <= 4; ++step) {
    set_gradients(straight, step);
    set_gradients(copies, step);
    first.step(0.01);
    second.step(0.01);
  }
  for (std::size_t i = 0; i < straight.size(); ++i) {
    EXPECT_TRUE(at::equal(straight[i].second.detach(), copies[i].second.detach())) << straight[i].first;
  }
}

TEST(Muon, MomentsOfAnotherOptimizerAreRefused) {
  const auto parameters = layer();
  Optimizer muon(parameters, kMuon, matrices_of_layer());
  Optimizer adam(parameters, {});
  EXPECT_THROW(adam.restore(muon.exp_avg(), muon.exp_avg_sq(), 1), CheckpointError);
}

TEST(Muon, DoesNotDependOnTheThreads) {
  std::vector<at::Tensor> matrices;
  at::manual_seed(6);
  for (int i = 0; i < 5; ++i) {
    matrices.push_back(at::randn({2, 33, 70}));
  }
  const auto one = translate::testing::on_threads(1, [&] { return polar_factors(matrices); });
  const auto three = translate::testing::on_threads(3, [&] { return polar_factors(matrices); });
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_TRUE(at::equal(one[i], three[i])) << i;
  }
}

}  // namespace
}  // namespace translate::trainer
