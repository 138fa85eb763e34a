#include "training/optimizer/muon.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "core/threads.h"
#include "kernels/matrix/polar_factor.h"
#include "model/parameters.h"
#include "training/optimizer/weight_average.h"

namespace translate::trainer {

namespace {

/// Computes the polar factors by LibTorch's operators: (heads, rows, columns), on any device.
at::Tensor polar_factor_of(const at::Tensor& matrices) {
  const bool is_tall = matrices.size(1) > matrices.size(2);
  auto x = is_tall ? matrices.transpose(1, 2) : matrices;
  const auto squared_norm = x.square().sum({1, 2}, /*keepdim=*/true);
  x = at::where(squared_norm < kLeastSquaredNorm, 0.0, x * squared_norm.rsqrt());
  for (const auto& [first, third, fifth] : kPolarRounds) {
    const auto gram = at::bmm(x, x.transpose(1, 2));
    x = at::baddbmm(x, at::baddbmm(gram, gram, gram, third, fifth), x, first, 1.0);
  }
  return is_tall ? x.transpose(1, 2) : x;
}

/// One head of one matrix.
struct Block {
  std::size_t matrix;
  std::int64_t head;
  std::int64_t size;  ///< values in a head
};

/// Computes the polar factors by this project's kernel, with the heads of all matrices divided among the threads.
std::vector<at::Tensor> polar_factors_by_kernel(const std::vector<at::Tensor>& matrices) {
  std::vector<at::Tensor> factors;
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    factors.push_back(at::empty_like(matrices[i]));
    const auto heads = matrices[i].size(0);
    for (std::int64_t head = 0; head < heads; ++head) {
      blocks.push_back({i, head, matrices[i].numel() / heads});
    }
  }
  // The large ones come first, so that no thread is left alone with one at the end.
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const Block& left, const Block& right) { return left.size > right.size; });
  parallel_chunks(std::ssize(blocks), [&](std::int64_t i) {
    const auto& [matrix, head, size] = blocks[static_cast<std::size_t>(i)];
    const auto rows = matrices[matrix].size(1);
    const auto columns = matrices[matrix].size(2);
    polar_factor(rows, columns, {matrices[matrix].const_data_ptr<float>() + head * size, columns},
                 {factors[matrix].mutable_data_ptr<float>() + head * size, columns});
  });
  return factors;
}

}  // namespace

LayerMatrices layer_matrices(const ModelOptions& model) {
  LayerMatrices matrices;
  for (const auto& parameter : list_parameters(describe_parameters(model, /*sizes=*/{}))) {
    if (parameter.group == OptimizerGroup::kMatrix) {
      matrices.emplace(parameter.name, 1);
    } else if (parameter.group == OptimizerGroup::kHeadMatrix) {
      matrices.emplace(parameter.name, model.num_heads);
    }
  }
  return matrices;
}

std::vector<at::Tensor> polar_factors(const std::vector<at::Tensor>& matrices) {
  const bool has_kernel = std::all_of(matrices.begin(), matrices.end(), [](const at::Tensor& matrix) {
    return matrix.is_cpu() && matrix.scalar_type() == at::kFloat;
  });
  if (has_kernel) {
    return polar_factors_by_kernel(matrices);
  }
  std::vector<at::Tensor> factors;
  for (const auto& matrix : matrices) {
    factors.push_back(polar_factor_of(matrix));
  }
  return factors;
}

Muon::Muon(NamedTensors matrices, const OptimizerOptions& options, const LayerMatrices& heads)
    : options_(options), matrices_(std::move(matrices)) {
  for (const auto& [name, matrix] : matrices_) {
    heads_.push_back(heads.at(name));
    momenta_.push_back(at::zeros_like(matrix, at::TensorOptions().requires_grad(false)));
  }
}

void Muon::step(double rate, const UpdateDecision& decision) {
  const at::NoGradGuard no_grad;
  const auto refused = decision.refused.to(at::kBool);
  const auto unless_refused = [&](const at::Tensor& was, const at::Tensor& becomes) {
    was.copy_(at::where(refused, was, becomes));
  };
  std::vector<std::size_t> members;
  std::vector<at::Tensor> directions;
  for (std::size_t i = 0; i < matrices_.size(); ++i) {
    auto gradient = matrices_[i].second.grad();
    if (!gradient.defined()) {
      continue;
    }
    if (decision.divisor.defined()) {
      gradient = gradient / decision.divisor;
    }
    const auto momentum = momenta_[i].lerp(gradient, 1.0 - options_.momentum);
    members.push_back(i);
    directions.push_back(gradient.lerp(momentum, options_.momentum).view({heads_[i], -1, gradient.size(1)}));
    unless_refused(momenta_[i], momentum);
  }
  const auto factors = polar_factors(directions);
  for (std::size_t k = 0; k < members.size(); ++k) {
    const auto& matrix = matrices_[members[k]].second;
    const auto longer = std::max(factors[k].size(1), factors[k].size(2));
    const auto length = rate * options_.matrix_update * std::sqrt(static_cast<double>(longer));
    const auto kept = matrix.mul(1.0 - rate * options_.weight_decay);
    unless_refused(matrix, kept.sub(factors[k].reshape_as(matrix), length));
  }
}

NamedTensors Muon::momenta() const { return named_values(matrices_, momenta_); }

void Muon::restore(const NamedTensors& momenta) {
  restore_values(matrices_, momenta_, momenta, "the saved optimizer state has no moments");
}

}  // namespace translate::trainer
