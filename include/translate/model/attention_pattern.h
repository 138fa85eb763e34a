#pragma once

#include <ATen/core/Tensor.h>

#include <utility>

#include "translate/model/packed_sentences.h"

namespace translate {

/// Which positions an attention block's queries may look at.
struct AttentionPattern {
  /// Boolean, broadcastable to (batch, heads, T, S), true = may attend; undefined: all may.
  // NOLINTNEXTLINE(google-explicit-constructor): a mask alone is a pattern
  AttentionPattern(at::Tensor may_attend = {}) : mask(std::move(may_attend)) {}
  /// Sentences without padding, (N, d) in and out, for the fused kernels alone. Causal: query t sees keys up to t.
  AttentionPattern(PackedSentencesPointer of_queries, PackedSentencesPointer of_keys, bool is_causal)
      : queries(std::move(of_queries)), keys(std::move(of_keys)), causal(is_causal) {}

  [[nodiscard]] bool is_packed() const { return queries != nullptr; }

  at::Tensor mask;
  PackedSentencesPointer queries;
  PackedSentencesPointer keys;
  bool causal = false;
};

}  // namespace translate
