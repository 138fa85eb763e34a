#pragma once

#include <ATen/core/Tensor.h>

#include <utility>

#include "translate/model/packed_sentences.h"

namespace translate {

/// Which positions an attention block's queries may look at.
struct AttentionPattern {
  /// Those of a mask: boolean, broadcastable to (batch, heads, T, S), true = may attend; undefined: all.
  // NOLINTNEXTLINE(google-explicit-constructor): a mask alone is a pattern
  AttentionPattern(at::Tensor may_attend = {}) : mask(std::move(may_attend)) {}
  /// Those of one's own sentence, which come without padding, (N, d) in and out: for the fused kernels alone.
  AttentionPattern(PackedSentencesPointer of_queries, PackedSentencesPointer of_keys, bool is_causal)
      : queries(std::move(of_queries)), keys(std::move(of_keys)), causal(is_causal) {}
  /// Query t looks at keys up to t, without a mask in memory: flash attention, which knows no masks, can be taken on a
  /// GPU. With padding behind each sentence, real positions see what decoder_mask() lets them see.
  [[nodiscard]] static AttentionPattern up_to_the_query() { return {nullptr, nullptr, /*is_causal=*/true}; }

  [[nodiscard]] bool is_packed() const { return queries != nullptr; }

  at::Tensor mask;
  PackedSentencesPointer queries;
  PackedSentencesPointer keys;
  bool causal = false;
};

}  // namespace translate
