#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include <cstdint>
#include <utility>

#include "translate/config/options.h"
#include "translate/model/dropout.h"
#include "translate/model/fused_kernels.h"
#include "translate/model/fused_residual.h"
#include "translate/model/layer_normalization.h"

namespace translate {

/// A sub-layer with its way around it. Pre-norm: x + dropout(sublayer(norm(x))); post-norm (paper, section 3.1):
/// norm(x + dropout(sublayer(x))). (batch, length, d_model) in and out.
class ResidualConnectionImpl : public torch::nn::Module {
 public:
  /// `index`: its place among its block's connections.
  ResidualConnectionImpl(const ModelOptions& options, std::int64_t index);

  /// `sublayer`: callable from tensor to tensor of the same shape.
  template <typename Sublayer>
  at::Tensor forward(const at::Tensor& x, Sublayer&& sublayer) {
    if (placement_ == NormPlacement::kPre) {
      return observed("output", x + dropout(sublayer(observed("norm", norm(x)))));
    }
    return observed("norm", norm(observed("sum", x + dropout(sublayer(x)))));
  }

  /// The same for a fused sub-layer on rows that are `sentences`; draws the mask of this pass.
  [[nodiscard]] ResidualSettings settings(PackedSentencesPointer sentences) const {
    return {.placement = placement_,
            .kind = norm->kind(),
            .epsilon = norm->epsilon(),
            .dropout = dropout->draw(),
            .sentences = std::move(sentences),
            .products = fused_products()};
  }

  LayerNormalization norm{nullptr};
  Dropout dropout{nullptr};

 private:
  /// `value`, after reporting it as a stage of this connection; the sub-layer's own stages are its block's.
  const at::Tensor& observed(const char* stage, const at::Tensor& value) const;

  std::int64_t index_;
  NormPlacement placement_;
};
TORCH_MODULE(ResidualConnection);

}  // namespace translate
