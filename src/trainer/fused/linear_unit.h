#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/modules/linear.h>

#include <cstdint>
#include <span>
#include <vector>

#include "fused/chunk.h"
#include "kernels/matrix/matrix_product.h"

namespace translate::trainer {

/// The parameters of a linear map, or their gradients.
struct LinearTensors {
  at::Tensor weight;  ///< (out, in)
  at::Tensor bias;    ///< (out), or undefined
};

/// The parameters of a linear module.
[[nodiscard]] inline LinearTensors tensors_of(const torch::nn::Linear& linear) {
  return {linear->weight, linear->bias};
}

/// One or several linear maps of the same input, whose outputs stand side by side: y = x W^T + b, with the gradients of
/// x, W and b: torch::nn::Linear on rows. Several threads may call forward, backward and add_gradients at once, each
/// for its own chunk.
class LinearUnit {
 public:
  /// `maps`: all with a bias, or none. `factor_type`: the type to which the factors of the products are rounded.
  /// `rows`: the rows of a chunk that it maps.
  LinearUnit(std::vector<LinearTensors> maps, FactorType factor_type, RowRange Chunk::*rows = &Chunk::rows);

  [[nodiscard]] std::int64_t in() const { return maps_.front().weight.size(1); }
  [[nodiscard]] std::int64_t out() const { return out_; }

  /// Packs the weights. Precedes all calls of forward.
  void start_forward();
  /// x (rows of the chunk, in) -> y (rows of the chunk, out).
  void forward(const Chunk& chunk, const float* x, float* y) const;

  /// Packs the weights, and makes room for the gradients. Precedes all calls of backward. `chunks`: their number.
  void start_backward(std::int64_t chunks);
  /// The gradient of y -> that of x, overwritten.
  void backward(const Chunk& chunk, const float* gradient, float* x_gradient) const;

  /// Begins a block of chunks, whose inputs and gradients are collected for the gradients of the weights. `block`: from
  /// its first row to its last.
  void start_block(const Chunk& block);
  /// Adds the gradient of the biases, and collects input and gradient of y.
  void add_gradients(const Chunk& chunk, const float* x, const float* gradient);
  /// Adds the gradients of the weights of several maps from the collected block, on all threads.
  static void end_block(std::span<LinearUnit* const> units);

  /// Returns the gradients of the parameters, one for each of the maps.
  [[nodiscard]] std::vector<LinearTensors> gradients() const;

 private:
  [[nodiscard]] bool has_bias() const { return maps_.front().bias.defined(); }

  std::vector<LinearTensors> maps_;
  RowRange Chunk::*rows_;
  std::int64_t out_ = 0;  // of all maps
  at::Tensor bias_;       // (out)
  PackedMatrix weight_;   // as forward or backward needs it
  RowRange block_;
  PackedMatrix inputs_;         // of the block
  PackedMatrix outputs_;        // gradients of the outputs in the block
  at::Tensor weight_gradient_;  // (out, in)
  at::Tensor bias_sums_;        // (chunks, out): the gradients of the biases
};

}  // namespace translate::trainer
