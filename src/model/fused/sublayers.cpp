#include "model/fused/sublayers.h"

#include <ATen/ATen.h>

#include "model/fused/fused_attention.h"
#include "model/fused/fused_feed_forward.h"
#include "model/modules/stage_observer.h"

namespace translate {

at::Tensor attention_sublayer(ResidualConnection& residual, MultiHeadAttentionBlock& block, const char* name,
                              const AttentionSublayerInput& input) {
  if (input.pattern.is_unpadded()) {
    return fused_attention(residual, block, input.x, input.memory, input.pattern);
  }
  return residual->forward(input.x, [&](const at::Tensor& y) {
    const StageScope scope(name);
    const auto& memory = input.memory.defined() ? input.memory : y;
    return block(y, memory, memory, input.pattern);
  });
}

at::Tensor feed_forward_sublayer(ResidualConnection& residual, FeedForwardBlock& block, const at::Tensor& x,
                                 const UnpaddedSentencesPointer& sentences) {
  if (!sentences) {
    return residual->forward(x, block);
  }
  if (block->activation() == Activation::kRelu) {
    return fused_feed_forward(residual, block, x, sentences);
  }
  const auto padded = at::zeros({sentences->sentences() * sentences->padded_length(), x.size(1)}, x.options())
                          .index_copy(0, sentences->places(), x);
  return residual->forward(padded, block).index_select(0, sentences->places());
}

}  // namespace translate
