#include "translate/model/sublayers.h"

#include "translate/model/fused_attention.h"
#include "translate/model/fused_feed_forward.h"
#include "translate/model/fused_kernels.h"
#include "translate/model/stage_observer.h"

namespace translate {

at::Tensor attention_sublayer(ResidualConnection& residual, MultiHeadAttentionBlock& block, const char* name,
                              const AttentionSublayerInput& input) {
  if (fused_kernels_apply(input.x)) {
    return fused_attention(residual, block, input.x, input.memory, input.mask);
  }
  return residual->forward(input.x, [&](const at::Tensor& y) {
    const StageScope scope(name);
    const auto& memory = input.memory.defined() ? input.memory : y;
    return block(y, memory, memory, input.mask);
  });
}

at::Tensor feed_forward_sublayer(ResidualConnection& residual, FeedForwardBlock& block, const at::Tensor& x) {
  if (block->activation() == Activation::kRelu && fused_kernels_apply(x)) {
    return fused_feed_forward(residual, block, x);
  }
  return residual->forward(x, block);
}

}  // namespace translate
