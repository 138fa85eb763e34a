#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "fused/chunk.h"
#include "kernels/norm.h"
#include "modules/residual_connection.h"

namespace translate::trainer {

/// The parameters of a norm, or their gradients.
struct NormTensors {
  at::Tensor alpha;  ///< (d_model)
  at::Tensor bias;   ///< (d_model), or undefined
};

/// The parameters of a norm.
[[nodiscard]] inline NormTensors tensors_of(const LayerNormalization& norm) { return {norm->alpha, norm->bias}; }

/// The tensors that the backward pass of a residual connection needs.
struct ResidualKept {
  at::Tensor moments;  ///< (N, 2): mean and inverse deviation of each normalised row
  at::Tensor sum;      ///< post-norm: x + dropout(f(x)), (N, d_model)
};

/// ResidualConnection on rows: around a sub-layer f, with its norm and dropout, forward and backward. Pre-norm: x +
/// dropout(f(norm(x))); post-norm: norm(x + dropout(f(x))). Several threads may call the methods at once, each for its
/// own chunk; all rows are those of the chunk.
class ResidualUnit {
 public:
  /// x (N, d_model). Makes room in `kept`, unless a forward pass has filled it.
  ResidualUnit(const ResidualSettings& settings, const at::Tensor& x, const NormTensors& norm, ResidualKept& kept);

  /// Writes the input of f.
  void enter(const Chunk& chunk, float* to) const;
  /// Turns the output of f into that of the connection, in place.
  void leave(const Chunk& chunk, float* rows) const;

  /// Makes room for the gradients. Precedes the methods below. `chunks`: their number.
  void start_backward(std::int64_t chunks);
  /// The gradient of the connection's output -> that of f's output. Keeps the share of x's gradient that bypasses f.
  void leave_backward(const Chunk& chunk, const float* gradient, float* inner_gradient) const;
  /// Takes the gradient of f's input, adds the share of x's gradient that passes through f, and turns the rows into the
  /// input of f, as enter wrote it.
  void enter_backward(const Chunk& chunk, float* rows) const;

  [[nodiscard]] std::int64_t rows() const { return x_.size(0); }
  [[nodiscard]] std::int64_t width() const { return norm_.width; }

  [[nodiscard]] const at::Tensor& x_gradient() const { return x_gradient_; }
  [[nodiscard]] NormTensors norm_gradients() const;

 private:
  [[nodiscard]] bool is_pre() const { return settings_.placement == NormPlacement::kPre; }
  [[nodiscard]] RowMoments* moments(const Chunk& chunk) const;
  [[nodiscard]] NormSums sums(const Chunk& chunk) const;
  void drop(const Chunk& chunk, float* rows) const;
  /// Writes normalised rows, and keeps their moments.
  void normalize(const Chunk& chunk, const float* from, float* to) const;
  /// Adds the gradient of the rows `from` to that of x.
  void normalize_backward(const Chunk& chunk, const float* from, const float* gradient) const;

  ResidualSettings settings_;
  at::Tensor x_;
  RowNorm norm_;
  ResidualKept kept_;
  at::Tensor x_gradient_;  // (N, d_model)
  at::Tensor sums_;        // (chunks, 2 d_model): the gradients of alpha and bias
};

}  // namespace translate::trainer
