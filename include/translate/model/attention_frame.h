#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

#include "translate/kernels/attention_kernel.h"
#include "translate/model/fused_residual.h"

namespace translate {

/// What forward and backward of a fused attention sub-layer have in common. A batch is taken as rows: row b * T + t is
/// position t of sentence b.

/// What one pass was run with.
struct AttentionSettings {
  ResidualSettings residual;
  DropoutMask weights;  ///< on the attention weights
  std::int64_t heads = 1;
  std::int64_t queries = 0;  ///< T
  std::int64_t keys = 0;     ///< S
  bool of_self = false;      ///< keys and values come from what the queries come from
};

/// w_q, w_k, w_v, w_o: weights (d, d), then biases (d) or undefined.
struct AttentionProjections {
  std::array<at::Tensor, 4> weights;
  std::array<at::Tensor, 4> biases;
};

/// Sentences [begin, end) of a batch, which one thread takes through the sub-layer together.
struct SentenceGroup {
  std::int64_t begin;
  std::int64_t end;
};

/// As many sentences of `length` rows together as make a good piece of work.
[[nodiscard]] std::vector<SentenceGroup> groups_of(std::int64_t sentences, std::int64_t length);

/// The mask of a batch, sentence by sentence, as the kernel wants it.
class SentenceMasks {
 public:
  /// `mask`: boolean, (batch or 1, 1, T or 1, S), true = may attend, or undefined: all may.
  SentenceMasks(const at::Tensor& mask, std::int64_t keys);

  /// In memory of this thread, until it asks for the next.
  [[nodiscard]] AttentionMask of(std::int64_t sentence) const;

 private:
  std::int64_t keys_;
  std::int64_t rows_ = 1;
  at::Tensor mask_;
  const bool* values_ = nullptr;
};

/// What forward and backward share: shapes, and where a sentence's rows lie.
struct AttentionFrame {
  AttentionSettings settings;
  std::int64_t sentences;
  std::int64_t width;  ///< d_model
  SentenceMasks masks;
  const float* query;      ///< (sentences * T, d)
  const float* key_value;  ///< (sentences * S, 2 d): keys, then values

  [[nodiscard]] AttentionShape shape() const {
    return {settings.queries, settings.keys, settings.heads, width / settings.heads};
  }
  [[nodiscard]] AttentionInput input(std::int64_t sentence) const {
    const float* keys = key_value + sentence * settings.keys * 2 * width;
    return {.query = {query + sentence * settings.queries * width, width},
            .key = {keys, 2 * width},
            .value = {keys + width, 2 * width}};
  }
  [[nodiscard]] AttentionDropout dropout(std::int64_t sentence) const {
    return {.mask = settings.weights, .first = sentence * settings.heads * settings.queries * settings.keys};
  }
};

}  // namespace translate
