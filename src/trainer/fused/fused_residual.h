#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/matrix/matrix_product.h"
#include "kernels/matrix/matrix_rows.h"
#include "kernels/norm.h"
#include "modules/residual_connection.h"

namespace translate::trainer {

/// The residual connection around a fused sub-layer, row by row, so that a thread takes a few rows from the input of
/// the sub-layer to its output while they are in its cache; forward and backward (chain rule by hand). Pre-norm: x +
/// dropout(f(norm(x))); post-norm: norm(x + dropout(f(x))). Several threads may call the methods at once, each for its
/// own rows.
class FusedResidual {
 public:
  /// x (N, d), alpha and bias (d), which may be undefined: contiguous, single precision.
  FusedResidual(const ResidualSettings& settings, const at::Tensor& x, const at::Tensor& alpha, const at::Tensor& bias);
  /// For the backward pass, from the tensors that saved() returned.
  FusedResidual(const ResidualSettings& settings, std::span<const at::Tensor> saved);

  /// Returns the kSaved tensors that the backward pass needs.
  [[nodiscard]] std::vector<at::Tensor> saved() const { return {x_, alpha_, bias_, sum_, moments_}; }
  static constexpr std::size_t kSaved = 5;

  /// Writes the input of the sub-layer for rows [first, first + count).
  void sublayer_input(std::int64_t first, std::int64_t count, float* to);
  /// Writes the same rows again, in the backward pass.
  void recompute_sublayer_input(std::int64_t first, std::int64_t count, float* to) const;
  /// Turns the sub-layer's output for those rows into the connection's output, in place.
  void add_residual(std::int64_t first, std::int64_t count, float* rows);

  /// Computes, from the gradient of the connection's output for those rows, the gradient of the sub-layer's output and
  /// the share of the input's gradient that bypasses the sub-layer.
  void add_residual_backward(std::int64_t first, std::int64_t count, const float* gradient, float* inner_gradient,
                             float* x_gradient, const NormSums& sums) const;
  /// Adds the share that passes through the sub-layer to the input's gradient. `inner_gradient`: the gradient of the
  /// sub-layer's input.
  void sublayer_input_backward(std::int64_t first, std::int64_t count, const float* inner_gradient, float* x_gradient,
                               const NormSums& sums) const;

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t width() const { return norm_.width; }
  [[nodiscard]] bool has_bias() const { return norm_.bias != nullptr; }

 private:
  [[nodiscard]] bool is_pre() const { return settings_.placement == NormPlacement::kPre; }
  [[nodiscard]] RowMoments& moments(std::int64_t row) const { return moment_values_[row]; }
  void set_pointers();
  void drop(std::int64_t first, std::int64_t count, float* rows) const;

  ResidualSettings settings_;
  at::Tensor x_;        // (N, d)
  at::Tensor alpha_;    // (d)
  at::Tensor bias_;     // (d), or undefined
  at::Tensor sum_;      // post-norm: x + dropout(f(x)), (N, d)
  at::Tensor moments_;  // (N, 2): mean and inverse deviation of each normalised row
  std::int64_t rows_;
  RowNorm norm_{};
  const float* in_ = nullptr;
  float* sums_ = nullptr;
  RowMoments* moment_values_ = nullptr;
};

/// A weight gradient to accumulate: out (columns of gradients, columns of inputs) += gradients^T inputs.
struct WeightGradient {
  const PackedMatrix* gradients;  ///< gradients of the layer's outputs
  const PackedMatrix* inputs;     ///< the layer's inputs
  float* out;                     ///< contiguous
};

/// Accumulates several weight gradients, on all threads.
void add_weight_gradients(std::span<const WeightGradient> gradients);

/// A plain value that a custom autograd operation keeps from its forward for its backward pass.
template <typename Value>
struct KeptSettings : torch::CustomClassHolder {
  explicit KeptSettings(Value kept) : value(std::move(kept)) {}
  Value value;
};

template <typename Value>
void keep_settings(torch::autograd::AutogradContext& context, const Value& value) {
  context.saved_data["settings"] = c10::IValue::make_capsule(c10::make_intrusive<KeptSettings<Value>>(value));
}

template <typename Value>
[[nodiscard]] Value kept_settings(torch::autograd::AutogradContext& context) {
  return static_cast<const KeptSettings<Value>&>(*context.saved_data.at("settings").toCapsule()).value;
}

inline constexpr std::int64_t kChunkRows = 8 * kTileRows;    ///< rows that a thread takes through a sub-layer at a time
inline constexpr std::int64_t kBlockRows = 16 * kChunkRows;  ///< rows of gradients kept for the weight gradients

}  // namespace translate::trainer
