#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

#include "translate/kernels/attention_kernel.h"
#include "translate/model/attention_pattern.h"
#include "translate/model/fused_residual.h"

namespace translate {

/// What forward and backward of a fused attention sub-layer have in common. A batch is taken as rows, without padding
/// (PackedSentences).

/// What one pass was run with.
struct AttentionSettings {
  ResidualSettings residual;
  DropoutMask weights;  ///< on the attention weights
  std::int64_t heads = 1;
  AttentionPattern pattern;  ///< packed
  bool of_self = false;      ///< keys and values come from what the queries come from
};

/// w_q, w_k, w_v, w_o: weights (d, d), then biases (d) or undefined.
struct AttentionProjections {
  std::array<at::Tensor, 4> weights;
  std::array<at::Tensor, 4> biases;
};

/// Rows of queries and of keys, [begin, end).
struct RowRange {
  std::int64_t begin;
  std::int64_t end;
  [[nodiscard]] std::int64_t count() const { return end - begin; }
};

/// Sentences [begin, end) of a batch, which one thread takes through the sub-layer together, and their rows.
struct SentenceGroup {
  std::int64_t begin;
  std::int64_t end;
  RowRange queries;
  RowRange keys;
};

/// As many sentences together as make a good piece of work.
[[nodiscard]] std::vector<SentenceGroup> groups_of(const AttentionPattern& pattern);

/// What forward and backward share: sizes, and where a sentence's rows lie.
struct AttentionFrame {
  AttentionSettings settings;
  std::int64_t width;      ///< d_model
  const float* query;      ///< (rows of queries, d)
  const float* key_value;  ///< (rows of keys, 2 d): keys, then values

  [[nodiscard]] AttentionShape shape(std::int64_t sentence) const;
  [[nodiscard]] AttentionInput input(std::int64_t sentence) const;
  [[nodiscard]] AttentionDropout dropout(std::int64_t sentence) const;
};

}  // namespace translate
