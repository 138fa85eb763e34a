#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "config/options.h"

namespace translate {

/// The cross attention that links the words of translations to those of their sources: the mean of some heads of one
/// decoder layer. Numbers count from 0.
struct AligningAttention {
  std::int64_t layer = 0;
  std::int64_t first_head = 0;
  std::int64_t heads = 1;  ///< that many, from first_head on
  /// Whether a subword is linked in the step that reads it, when it is known, rather than in the one before, which
  /// generates it (Chen et al. 2020, "Accurate Word Alignment Induction from Neural Machine Translation").
  bool of_input = false;

  bool operator==(const AligningAttention&) const = default;
};

/// The attention that says, in the step that generates a subword, which of the source it translates: the head that
/// ModelOptions name, or all heads of the layer that they name, or else all heads of the last layer but one, which
/// aligns best in models that were not trained to align (Garg et al. 2019, section 4.1), or of the only layer.
[[nodiscard]] inline AligningAttention predicting_attention(const ModelOptions& options) {
  return {.layer = options.alignment_layer.value_or(std::max<std::int64_t>(options.decoder_layers - 2, 0)),
          .first_head = options.alignment_head.value_or(0),
          .heads = options.alignment_head ? 1 : options.num_heads};
}

/// The attention that gives alignments: that of inputs which ModelOptions name, or else predicting_attention.
[[nodiscard]] inline AligningAttention aligning_attention(const ModelOptions& options) {
  if (!options.input_alignment_layer) {
    return predicting_attention(options);
  }
  return {.layer = *options.input_alignment_layer,
          .first_head = options.input_alignment_head.value_or(0),
          .heads = options.input_alignment_head ? 1 : options.num_heads,
          .of_input = true};
}

/// The head that `training.guided_alignment` trains, and that Marian does: the first of the last decoder layer.
[[nodiscard]] inline AligningAttention guided_attention(const ModelOptions& options) {
  return {.layer = options.decoder_layers - 1, .first_head = 0, .heads = 1};
}

/// The other one that it trains, which links what is read: the first of the middle decoder layer, where the input is
/// still present, or in a decoder of one layer the second. Nothing if there is one head alone.
[[nodiscard]] inline std::optional<AligningAttention> guided_input_attention(const ModelOptions& options) {
  if (options.decoder_layers > 1) {
    return AligningAttention{.layer = (options.decoder_layers - 1) / 2, .first_head = 0, .heads = 1, .of_input = true};
  }
  return options.num_heads > 1
             ? std::optional(AligningAttention{.layer = 0, .first_head = 1, .heads = 1, .of_input = true})
             : std::nullopt;
}

/// Sets the attention of its kind, of inputs or predicting: all heads of a layer or one of them.
inline void set_aligning_attention(ModelOptions& options, const AligningAttention& attention) {
  auto& layer = attention.of_input ? options.input_alignment_layer : options.alignment_layer;
  auto& head = attention.of_input ? options.input_alignment_head : options.alignment_head;
  layer = attention.layer;
  head.reset();
  if (attention.heads == 1 && options.num_heads > 1) {
    head = attention.first_head;
  }
}

/// Names it for messages: "head 0 of decoder layer 5", "the mean of the 8 heads of decoder layer 4, one step later".
[[nodiscard]] inline std::string describe(const AligningAttention& attention) {
  const auto layer =
      "decoder layer " + std::to_string(attention.layer) + (attention.of_input ? ", one step later" : "");
  return attention.heads == 1 ? "head " + std::to_string(attention.first_head) + " of " + layer
                              : "the mean of the " + std::to_string(attention.heads) + " heads of " + layer;
}

}  // namespace translate
