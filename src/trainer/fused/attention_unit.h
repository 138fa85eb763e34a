#pragma once

#include <cstdint>

#include "fused/chunk.h"
#include "kernels/attention_kernel.h"
#include "modules/masks.h"

namespace translate::trainer {

/// attention() of modules/multi_head_attention_block.h on rows, forward and backward: all heads, within each sentence
/// of an unpadded batch, from projected queries, keys and values to the joined heads. Several threads may call the
/// methods at once, each for its own chunk.
class AttentionUnit {
 public:
  /// The pattern must be unpadded. `dropout`: on the attention weights; `width`: d_model.
  AttentionUnit(const AttentionPattern& pattern, std::int64_t heads, const DropoutMask& dropout, std::int64_t width)
      : pattern_(pattern), heads_(heads), dropout_(dropout), width_(width) {}

  /// Writes the joined heads of the chunk's rows, (rows, d_model). `projected`: rows of the whole batch.
  void forward(const Chunk& chunk, const AttentionInput& projected, float* joined) const;

  /// The gradient of the chunk's joined heads -> those of its queries, keys and values, overwritten. `gradients`: rows
  /// of the chunk.
  void backward(const Chunk& chunk, const AttentionInput& projected, const float* gradient,
                const AttentionGradients& gradients) const;

 private:
  [[nodiscard]] AttentionShape shape(std::int64_t sentence) const;
  [[nodiscard]] AttentionInput input(std::int64_t sentence, const AttentionInput& projected) const;
  [[nodiscard]] AttentionDropout dropout(std::int64_t sentence) const;

  AttentionPattern pattern_;
  std::int64_t heads_;
  DropoutMask dropout_;
  std::int64_t width_;
};

}  // namespace translate::trainer
