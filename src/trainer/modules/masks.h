#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>

#include "tensors/unpadded_layout.h"

namespace translate::trainer {

/// All attention masks are made here. They are boolean, true = may attend, and broadcast to (batch, heads, query, key).

/// Marks the keys that are not padding. `ids`: (batch, length) -> (batch, 1, 1, length).
[[nodiscard]] at::Tensor padding_mask(const at::Tensor& ids, std::int64_t pad);

/// Lets each position see itself and earlier ones: the lower triangle, (1, 1, length, length).
[[nodiscard]] at::Tensor causal_mask(std::int64_t length, const at::Device& device);

/// The mask of the decoder's self-attention, which hides padding and the future. `ids`: (batch, length) -> (batch, 1,
/// length, length). A target always begins with sos, so that its first position is never padding, although some
/// vocabularies have one subword for both.
[[nodiscard]] at::Tensor decoder_mask(const at::Tensor& ids, std::int64_t pad);

/// Which keys the queries of an attention block may attend to.
struct AttentionPattern {
  /// The keys that a mask allows: boolean, broadcastable to (batch, heads, T, S), true = may attend; undefined: all.
  // NOLINTNEXTLINE(google-explicit-constructor): a mask alone is a pattern
  AttentionPattern(at::Tensor may_attend = {}) : mask(std::move(may_attend)) {}
  /// The keys of the query's own sentence, in unpadded batches, (N, d) in and out: for the fused kernels only.
  AttentionPattern(UnpaddedLayoutPointer of_queries, UnpaddedLayoutPointer of_keys, bool is_causal)
      : queries(std::move(of_queries)), keys(std::move(of_keys)), causal(is_causal) {}
  /// Query t attends to keys up to t, without a mask in memory, so that a GPU can use flash attention, which supports
  /// no masks. If padding follows each sentence, real positions see the same keys as with decoder_mask().
  [[nodiscard]] static AttentionPattern up_to_the_query() { return {nullptr, nullptr, /*is_causal=*/true}; }

  at::Tensor mask;
  UnpaddedLayoutPointer queries;
  UnpaddedLayoutPointer keys;
  bool causal = false;
};

}  // namespace translate::trainer
