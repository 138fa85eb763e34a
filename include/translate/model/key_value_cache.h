#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "translate/model/multi_head_attention_block.h"

namespace translate {

/// What decoding keeps between steps: per decoder layer the keys and values of the target so far (self-attention) and
/// of the encoder's output (cross attention, computed once).
class KeyValueCache {
 public:
  /// `cross`: one per decoder layer; `source_mask`: (batch, 1, 1, S).
  KeyValueCache(std::vector<KeyValue> cross, at::Tensor source_mask);

  /// Appends one position's keys and values (batch, heads, 1, d_k) of `layer`, and returns all so far
  /// (batch, heads, length + 1, d_k). The buffers grow by doubling.
  KeyValue append(std::size_t layer, const KeyValue& step);

  /// Ends a step: the length grows by one.
  void advance() { ++length_; }

  /// Keeps the rows `rows` (int64) of the batch, in that order.
  void select(const at::Tensor& rows);

  [[nodiscard]] const KeyValue& cross(std::size_t layer) const { return cross_[layer]; }
  [[nodiscard]] const at::Tensor& source_mask() const { return source_mask_; }
  /// Target positions so far.
  [[nodiscard]] std::int64_t length() const { return length_; }

 private:
  std::vector<KeyValue> cross_;
  std::vector<KeyValue> self_;  ///< capacity may exceed length
  at::Tensor source_mask_;
  std::int64_t length_ = 0;
};

}  // namespace translate
