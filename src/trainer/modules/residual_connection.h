#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <utility>

#include "config/options.h"
#include "kernels/dropout_mask.h"
#include "kernels/matrix/matrix_rows.h"
#include "model/parameters.h"
#include "modules/dropout.h"
#include "modules/execution_context.h"

namespace translate::trainer {

/// The norm over the last dimension, of one of the kinds of LayerNormKind. Parameters `alpha` and, but for RMSNorm,
/// `bias`: (d_model). Any (..., d_model) in, the same shape out.
class LayerNormalizationImpl : public torch::nn::Module {
 public:
  LayerNormalizationImpl(const ModelOptions& options, const NormParameters& parameters);

  at::Tensor forward(const at::Tensor& x);

  [[nodiscard]] LayerNormKind kind() const { return kind_; }
  [[nodiscard]] double epsilon() const { return epsilon_; }

  at::Tensor alpha;
  at::Tensor bias;

 private:
  LayerNormKind kind_;
  double epsilon_;
};
TORCH_MODULE(LayerNormalization);

/// The settings of a residual connection for one pass of other kernels than the module (SublayerKernels).
struct ResidualSettings {
  NormPlacement placement = NormPlacement::kPre;
  LayerNormKind kind = LayerNormKind::kTorch;
  double epsilon = 0.0;
  DropoutMask dropout;                          ///< the mask of this pass, on the sub-layer's output
  UnpaddedLayoutPointer sentences;              ///< the sentences to which the rows belong
  FactorType factor_type = FactorType::kFloat;  ///< type of the factors of the sub-layer's matrix products
};

/// A sub-layer with its residual connection. Pre-norm: x + dropout(sublayer(norm(x))); post-norm (paper, section 3.1):
/// norm(x + dropout(sublayer(x))). (batch, length, d_model) in and out.
class ResidualConnectionImpl : public torch::nn::Module {
 public:
  /// `index`: its number among the connections of its block; `parameters`: those of its norm.
  ResidualConnectionImpl(const ModelOptions& options, const NormParameters& parameters, std::int64_t index);

  /// `sublayer`: one of sublayers.h, or anything callable as sublayer(y, context) that returns a tensor of y's shape.
  /// If the context has kernels and the sub-layer has by(kernels), that computes the whole residual connection.
  template <typename Sublayer>
  at::Tensor forward(const at::Tensor& x, const Sublayer& sublayer, const ExecutionContext& context = {}) {
    if constexpr (requires { sublayer.by(*context.kernels(), *this, x, context.factor_type()); }) {
      if (context.kernels() != nullptr) {
        return sublayer.by(*context.kernels(), *this, x, context.factor_type());
      }
    }
    const UnpaddedLayout* sentences = nullptr;
    if constexpr (requires { sublayer.sentences.get(); }) {
      sentences = sublayer.sentences.get();
    }
    const auto stages = context.within("residual_connections", index_);
    if (placement_ == NormPlacement::kPre) {
      return observed("output", x + dropout(sublayer(observed("norm", norm(x), stages), context), sentences, context),
                      stages);
    }
    return observed("norm", norm(observed("sum", x + dropout(sublayer(x, context), sentences, context), stages)),
                    stages);
  }

  /// Returns the input of the sub-layer for that of the connection: norm(x) with pre-norm, else x itself.
  [[nodiscard]] at::Tensor sublayer_input(const at::Tensor& x) const {
    return placement_ == NormPlacement::kPre ? norm.ptr()->forward(x) : x;
  }

  /// Returns the settings of this connection for one pass of other kernels over the rows of `sentences`. Draws the
  /// dropout mask.
  [[nodiscard]] ResidualSettings settings(UnpaddedLayoutPointer sentences, FactorType factor_type) const {
    return {.placement = placement_,
            .kind = norm->kind(),
            .epsilon = norm->epsilon(),
            .dropout = dropout->draw(),
            .sentences = std::move(sentences),
            .factor_type = factor_type};
  }

  LayerNormalization norm{nullptr};
  Dropout dropout{nullptr};

 private:
  /// Returns `value`, after reporting it as a stage of this connection.
  static const at::Tensor& observed(const char* stage, const at::Tensor& value, const ExecutionContext& context) {
    context.observe(stage, value);
    return value;
  }

  std::int64_t index_;
  NormPlacement placement_;
};
TORCH_MODULE(ResidualConnection);

}  // namespace translate::trainer
