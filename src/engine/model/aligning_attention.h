#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "config/options.h"

namespace translate {

/// The cross attention that links the words of translations to those of their sources: the mean of some heads of one
/// decoder layer. Numbers count from 0.
struct AligningAttention {
  std::int64_t layer = 0;
  std::int64_t first_head = 0;
  std::int64_t heads = 1;  ///< that many, from first_head on

  bool operator==(const AligningAttention&) const = default;
};

/// The one of a model: the head that ModelOptions name, or all heads of the layer that they name, or else all heads of
/// the last layer but one, which aligns best in models that were not trained to align (Garg et al. 2019, section 4.1),
/// or of the only layer.
[[nodiscard]] inline AligningAttention aligning_attention(const ModelOptions& options) {
  return {.layer = options.alignment_layer.value_or(std::max<std::int64_t>(options.decoder_layers - 2, 0)),
          .first_head = options.alignment_head.value_or(0),
          .heads = options.alignment_head ? 1 : options.num_heads};
}

/// The head that `training.guided_alignment` trains, and that Marian does: the first of the last decoder layer.
[[nodiscard]] inline AligningAttention guided_attention(const ModelOptions& options) {
  return {.layer = options.decoder_layers - 1, .first_head = 0, .heads = 1};
}

/// Sets the attention that a model is to align by, all heads of a layer or one of them.
inline void set_aligning_attention(ModelOptions& options, const AligningAttention& attention) {
  options.alignment_layer = attention.layer;
  options.alignment_head.reset();
  if (attention.heads == 1 && options.num_heads > 1) {
    options.alignment_head = attention.first_head;
  }
}

/// Names it for messages: "head 0 of decoder layer 5", "the mean of the 8 heads of decoder layer 4".
[[nodiscard]] inline std::string describe(const AligningAttention& attention) {
  const auto layer = "decoder layer " + std::to_string(attention.layer);
  return attention.heads == 1 ? "head " + std::to_string(attention.first_head) + " of " + layer
                              : "the mean of the " + std::to_string(attention.heads) + " heads of " + layer;
}

}  // namespace translate
