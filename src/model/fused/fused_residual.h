#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "config/options.h"
#include "kernels/dropout_mask.h"
#include "kernels/matrix/matrix_product.h"
#include "kernels/matrix/matrix_rows.h"
#include "kernels/row_kernels.h"
#include "model/modules/masks.h"

namespace translate {

/// What a residual connection is made of, for the fused sub-layers.
struct ResidualSettings {
  NormPlacement placement = NormPlacement::kPre;
  LayerNormKind kind = LayerNormKind::kTorch;
  double epsilon = 0.0;
  DropoutMask dropout;                       ///< of this pass, on the sub-layer's output
  UnpaddedSentencesPointer sentences;        ///< what the rows are
  FactorType products = FactorType::kFloat;  ///< what the factors of the sub-layer's matrix products are rounded to
};

/// The residual connection around a fused sub-layer, row by row, so that a thread takes a few rows from the input of
/// the sub-layer to its output while they are in its cache; forward and backward (chain rule by hand). Pre-norm:
/// x + dropout(f(norm(x))); post-norm: norm(x + dropout(f(x))). Any thread may call the methods for rows of its own.
class FusedResidual {
 public:
  /// x (N, d), alpha and bias (d): contiguous, single precision.
  FusedResidual(const ResidualSettings& settings, const at::Tensor& x, const at::Tensor& alpha, const at::Tensor& bias);
  /// For the backward pass, from what saved() gave.
  FusedResidual(const ResidualSettings& settings, std::span<const at::Tensor> saved);

  /// What the backward pass needs: kSaved tensors.
  [[nodiscard]] std::vector<at::Tensor> saved() const { return {x_, alpha_, bias_, sum_, moments_}; }
  static constexpr std::size_t kSaved = 5;

  /// Rows [first, first + count): writes what the sub-layer reads.
  void enter(std::int64_t first, std::int64_t count, float* to);
  /// The same rows once more, in the backward pass.
  void enter_again(std::int64_t first, std::int64_t count, float* to) const;
  /// What the sub-layer gave for those rows becomes the connection's output, in place.
  void leave(std::int64_t first, std::int64_t count, float* rows);

  /// From the gradient of the output of those rows: that of what the sub-layer gave, and the share of the input's that
  /// goes past the sub-layer.
  void leave_backward(std::int64_t first, std::int64_t count, const float* gradient, float* inner_gradient,
                      float* x_gradient, const NormalizationSums& sums) const;
  /// Adds to the input's gradient what comes through the sub-layer, given as the gradient of what that read.
  void enter_backward(std::int64_t first, std::int64_t count, const float* inner_gradient, float* x_gradient,
                      const NormalizationSums& sums) const;

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t width() const { return norm_.width; }

 private:
  [[nodiscard]] bool is_pre() const { return settings_.placement == NormPlacement::kPre; }
  [[nodiscard]] RowMoments& moments(std::int64_t row) const { return moment_values_[row]; }
  void set_pointers();
  void drop(std::int64_t first, std::int64_t count, float* rows) const;

  ResidualSettings settings_;
  at::Tensor x_;        // (N, d)
  at::Tensor alpha_;    // (d)
  at::Tensor bias_;     // (d)
  at::Tensor sum_;      // post-norm: x + dropout(f(x)), (N, d)
  at::Tensor moments_;  // (N, 2): mean and inverse of each normalised row
  std::int64_t rows_;
  RowNormalization norm_;
  const float* in_ = nullptr;
  float* sums_ = nullptr;
  RowMoments* moment_values_ = nullptr;
};

/// A gradient of weights to be added up: out (columns of gradients, columns of inputs) += gradients^T inputs.
struct WeightGradient {
  const PackedMatrix* gradients;  ///< of the layer's outputs
  const PackedMatrix* inputs;     ///< of the layer
  float* out;                     ///< contiguous
};

/// Adds up several, on all threads.
void add_weight_gradients(std::span<const WeightGradient> gradients);

/// A plain value that an operation of ours keeps from its forward for its backward pass.
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

inline constexpr std::int64_t kChunkRows = 8 * kTileRows;    ///< rows a thread takes through a sub-layer at a time
inline constexpr std::int64_t kBlockRows = 16 * kChunkRows;  ///< rows whose gradients are kept until weights get theirs

}  // namespace translate
