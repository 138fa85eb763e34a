#pragma once

#include <c10/core/Device.h>

#include "config/options.h"
#include "modules/execution_context.h"
#include "modules/sublayer_kernels.h"

namespace translate::trainer {

/// The kernels of this folder: each sub-layer with its residual connection, and each embedding, is one operation of
/// autograd, for inputs in single precision. The gradient of a table is added up in the order of the ids, so that it
/// does not depend on the number of threads.
class FusedSublayers : public SublayerKernels {
 public:
  [[nodiscard]] at::Tensor attention(const ResidualConnectionImpl& residual, const MultiHeadAttentionBlock& block,
                                     const at::Tensor& x, const at::Tensor& memory, const AttentionPattern& pattern,
                                     FactorType factor_type) const override;
  [[nodiscard]] at::Tensor recurrent_unit(const ResidualConnectionImpl& residual, const RecurrentUnit& unit,
                                          const at::Tensor& x, const UnpaddedLayoutPointer& sentences,
                                          FactorType factor_type) const override;
  [[nodiscard]] at::Tensor feed_forward(const ResidualConnectionImpl& residual, const FeedForwardBlock& block,
                                        const at::Tensor& x, const UnpaddedLayoutPointer& sentences,
                                        FactorType factor_type) const override;
  [[nodiscard]] at::Tensor embedding(const at::Tensor& table, const at::Tensor& ids,
                                     const EmbeddingSettings& settings) const override;
};

/// Returns the one object of this class.
[[nodiscard]] const SublayerKernels& fused_sublayers();

/// The context for training on `device`: on a CPU with fused_sublayers(), if `fused_kernels` asks for them, else with
/// the modules alone.
[[nodiscard]] ExecutionContext training_context(const c10::Device& device, Precision precision, bool fused_kernels);

}  // namespace translate::trainer
