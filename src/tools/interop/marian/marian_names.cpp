#include "interop/marian/marian_names.h"

#include <fmt/format.h>

#include <utility>

namespace translate::tools {

namespace {

/// Collects the names of one model.
class Names {
 public:
  explicit Names(const ModelOptions& options) : is_pre_(options.norm == NormPlacement::kPre) {}

  void add(const Parameter& parameter, const std::string& name, MarianLayout layout) {
    if (!parameter.is_tied()) {
      names_.push_back({.parameter = parameter, .name = name, .layout = layout});
    }
  }

  void add_stack(const StackParameters& stack, const std::string& scope) {
    for (std::size_t i = 0; i < stack.layers.size(); ++i) {
      add_layer(stack.layers[i], fmt::format("{}_l{}", scope, i + 1));
    }
    if (stack.norm) {
      add_norm(*stack.norm, scope + "_top", "");
    }
  }

  [[nodiscard]] std::vector<MarianName> take() { return std::move(names_); }

 private:
  /// `scope` and `suffix`: "encoder_l1_self", "q".
  void add_linear(const LinearParameters& linear, const std::string& scope, const std::string& suffix) {
    add(linear.weight, fmt::format("{}_W{}", scope, suffix), MarianLayout::kLinear);
    if (linear.bias) {
      add(*linear.bias, fmt::format("{}_b{}", scope, suffix), MarianLayout::kRow);
    }
  }

  void add_norm(const NormParameters& norm, const std::string& scope, const std::string& suffix) {
    add(norm.alpha, fmt::format("{}_ln_scale{}", scope, suffix), MarianLayout::kRow);
    if (norm.bias) {
      add(*norm.bias, fmt::format("{}_ln_bias{}", scope, suffix), MarianLayout::kRow);
    }
  }

  void add_attention(const AttentionParameters& attention, const NormParameters& norm, const std::string& scope) {
    add_linear(attention.w_q, scope, "q");
    add_linear(attention.w_k, scope, "k");
    add_linear(attention.w_v, scope, "v");
    add_linear(attention.w_o, scope, "o");
    add_norm(norm, scope + "_Wo", norm_suffix());
  }

  /// Its norms have names of their own: "_rnn_ffn" after the unit, "_rnn" before it.
  void add_recurrent_unit(const RecurrentUnitParameters& unit, const NormParameters& norm, const std::string& scope) {
    add_linear(unit.w, scope, "");
    add_linear(unit.w_f, scope, "f");
    add_norm(norm, is_pre_ ? scope : scope + "_ffn", norm_suffix());
  }

  void add_layer(const LayerParameters& layer, const std::string& scope) {
    const auto& norms = layer.residual_connections;
    if (layer.self_attention_block) {
      add_attention(*layer.self_attention_block, norms.front(), scope + "_self");
    }
    if (layer.recurrent_unit) {
      add_recurrent_unit(*layer.recurrent_unit, norms.front(), scope + "_rnn");
    }
    if (layer.cross_attention_block) {
      add_attention(*layer.cross_attention_block, norms[1], scope + "_context");
    }
    add_linear(layer.feed_forward_block.linear_1, scope + "_ffn", "1");
    add_linear(layer.feed_forward_block.linear_2, scope + "_ffn", "2");
    add_norm(norms.back(), scope + "_ffn_ffn", norm_suffix());
  }

  [[nodiscard]] std::string norm_suffix() const { return is_pre_ ? "_pre" : ""; }

  bool is_pre_;
  std::vector<MarianName> names_;
};

}  // namespace

std::vector<MarianName> marian_names(const ModelParameters& parameters, const ModelOptions& options) {
  Names names(options);
  names.add_stack(parameters.encoder, "encoder");
  names.add_stack(parameters.decoder, "decoder");
  const bool is_one_table = options.tie_embeddings == EmbeddingTying::kAll;
  names.add(parameters.src_embed.embedding.weight, is_one_table ? "Wemb" : "encoder_Wemb", MarianLayout::kTable);
  names.add(parameters.tgt_embed.embedding.weight, "decoder_Wemb", MarianLayout::kTable);
  const auto& projection = parameters.projection_layer.proj;
  names.add(projection.weight, "decoder_ff_logit_out_W", MarianLayout::kOutput);
  names.add(projection.bias.value(), "decoder_ff_logit_out_b", MarianLayout::kOutputBias);
  return names.take();
}

}  // namespace translate::tools
