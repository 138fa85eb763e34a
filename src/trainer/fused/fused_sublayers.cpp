#include "fused/fused_sublayers.h"

#include "fused/fused_attention.h"
#include "fused/fused_embedding.h"
#include "fused/fused_feed_forward.h"

namespace translate::trainer {

namespace {

class FusedSublayers : public SublayerKernels {
 public:
  [[nodiscard]] at::Tensor attention(const ResidualConnectionImpl& residual, const MultiHeadAttentionBlock& block,
                                     const at::Tensor& x, const at::Tensor& memory, const AttentionPattern& pattern,
                                     FactorType factor_type) const override {
    return fused_attention(residual, block, x, memory, pattern, factor_type);
  }

  [[nodiscard]] at::Tensor feed_forward(const ResidualConnectionImpl& residual, const FeedForwardBlock& block,
                                        const at::Tensor& x, const UnpaddedLayoutPointer& sentences,
                                        FactorType factor_type) const override {
    return fused_feed_forward(residual, block, x, sentences, factor_type);
  }

  [[nodiscard]] at::Tensor embedding(const at::Tensor& table, const at::Tensor& ids,
                                     const EmbeddingSettings& settings) const override {
    return fused_embedding(table, ids, settings);
  }
};

}  // namespace

const SublayerKernels& fused_sublayers() {
  static const FusedSublayers kernels;
  return kernels;
}

ExecutionContext training_context(const c10::Device& device, Precision precision, bool fused_kernels) {
  return {device, precision, fused_kernels && device.is_cpu() ? &fused_sublayers() : nullptr};
}

}  // namespace translate::trainer
