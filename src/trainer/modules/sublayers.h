#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>

#include "modules/execution_context.h"
#include "modules/feed_forward_block.h"
#include "modules/masks.h"
#include "modules/multi_head_attention_block.h"
#include "modules/recurrent_unit.h"
#include "modules/sublayer_kernels.h"

namespace translate::trainer {

/// The sub-layers that an encoder or decoder layer puts into its residual connections. Each is callable with the
/// connection's input (ResidualConnection::forward), and computes by LibTorch's operators. The sub-layers that training
/// needs also have by(): the whole connection in one operation, by SublayerKernels.

/// Self-attention: queries, keys and values come from the sub-layer's input.
struct SelfAttention {
  MultiHeadAttentionBlock& block;
  const AttentionPattern& pattern;

  at::Tensor operator()(const at::Tensor& x, const ExecutionContext& context) const {
    return block(x, x, x, pattern, context.within("self_attention_block"));
  }
  [[nodiscard]] at::Tensor by(const SublayerKernels& kernels, const ResidualConnectionImpl& residual,
                              const at::Tensor& x, FactorType factor_type) const {
    return kernels.attention(residual, block, x, /*memory=*/{}, pattern, factor_type);
  }
};

/// A recurrent unit over the positions of each sentence. `sentences`: the layout of the rows if they are unpadded, else
/// null; only the kernels compute unpadded rows.
struct Recurrence {
  RecurrentUnit& unit;
  const UnpaddedLayoutPointer& sentences;

  at::Tensor operator()(const at::Tensor& x, const ExecutionContext& context) const {
    return unit(x, context.within("recurrent_unit"));
  }
  [[nodiscard]] at::Tensor by(const SublayerKernels& kernels, const ResidualConnectionImpl& residual,
                              const at::Tensor& x, FactorType factor_type) const {
    return kernels.recurrent_unit(residual, unit, x, sentences, factor_type);
  }
};

/// Cross attention: queries come from the sub-layer's input, keys and values from the encoder's output.
struct CrossAttention {
  MultiHeadAttentionBlock& block;
  const at::Tensor& encoder_output;
  const AttentionPattern& pattern;
  CrossAttentionInput* stored = nullptr;  ///< if given: where the input is stored

  at::Tensor operator()(const at::Tensor& x, const ExecutionContext& context) const {
    store(x);
    return block(x, encoder_output, encoder_output, pattern, context.within("cross_attention_block"));
  }
  [[nodiscard]] at::Tensor by(const SublayerKernels& kernels, const ResidualConnectionImpl& residual,
                              const at::Tensor& x, FactorType factor_type) const {
    if (stored != nullptr) {
      store(residual.sublayer_input(x));
    }
    return kernels.attention(residual, block, x, encoder_output, pattern, factor_type);
  }

 private:
  void store(const at::Tensor& x) const {
    if (stored != nullptr) {
      stored->query = x;
      stored->memory = encoder_output;
    }
  }
};

/// Self-attention of one new position; the earlier ones are in the cache, which grows by it.
struct CachedSelfAttention {
  MultiHeadAttentionBlock& block;
  KeyValueCache& cache;
  std::size_t layer;

  at::Tensor operator()(const at::Tensor& x, const ExecutionContext& context) const {
    // All cached positions are earlier ones, and finished rows have left the batch, so there is nothing to mask.
    const auto so_far = cache.append(layer, block->project_key_value(x, x));
    return block->attend(x, so_far, /*pattern=*/{}, context.within("self_attention_block"));
  }
};

/// A recurrent unit at one new position; the state of the one before it is in the cache, which takes the new one.
struct CachedRecurrence {
  RecurrentUnit& unit;
  KeyValueCache& cache;
  std::size_t layer;

  at::Tensor operator()(const at::Tensor& x, const ExecutionContext& context) const {
    return unit->step(x, cache.state(layer), context.within("recurrent_unit"));
  }
};

/// Cross attention of one new position, with keys and values from the cache.
struct CachedCrossAttention {
  MultiHeadAttentionBlock& block;
  const KeyValueCache& cache;
  std::size_t layer;

  at::Tensor operator()(const at::Tensor& x, const ExecutionContext& context) const {
    return block->attend(x, cache.cross(layer), cache.source_mask(), context.within("cross_attention_block"));
  }
};

/// The position-wise feed-forward network. `sentences`: the layout of the rows if they are unpadded, else null.
struct FeedForward {
  FeedForwardBlock& block;
  const UnpaddedLayoutPointer& sentences;

  at::Tensor operator()(const at::Tensor& x, const ExecutionContext& context) const {
    return block(x, sentences.get(), context.within("feed_forward_block"));
  }
  [[nodiscard]] at::Tensor by(const SublayerKernels& kernels, const ResidualConnectionImpl& residual,
                              const at::Tensor& x, FactorType factor_type) const {
    return kernels.feed_forward(residual, block, x, sentences, factor_type);
  }
};

}  // namespace translate::trainer
