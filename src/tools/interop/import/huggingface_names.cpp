#include "interop/import/huggingface_names.h"

#include <fmt/format.h>

namespace translate::tools {

namespace {

/// Collects the names of one model.
class Names {
 public:
  void add(const Parameter& parameter, const std::string& name) {
    if (!parameter.is_tied()) {
      names_.push_back({.parameter = parameter, .name = name});
    }
  }

  void add(const LinearParameters& linear, const std::string& module) {
    add(linear.weight, module + ".weight");
    if (linear.bias) {
      add(*linear.bias, module + ".bias");
    }
  }

  void add(const NormParameters& norm, const std::string& module) {
    add(norm.alpha, module + ".weight");
    if (norm.bias) {
      add(*norm.bias, module + ".bias");
    }
  }

  void add(const AttentionParameters& attention, const std::string& module) {
    add(attention.w_q, module + ".q_proj");
    add(attention.w_k, module + ".k_proj");
    add(attention.w_v, module + ".v_proj");
    add(attention.w_o, module + ".out_proj");
  }

  void add(const LayerParameters& layer, const std::string& module) {
    add(layer.self_attention_block.value(), module + ".self_attn");
    if (layer.cross_attention_block) {
      add(*layer.cross_attention_block, module + ".encoder_attn");
    }
    add(layer.feed_forward_block.linear_1, module + ".fc1");
    add(layer.feed_forward_block.linear_2, module + ".fc2");
    const auto& norms = layer.residual_connections;
    add(norms.front(), module + ".self_attn_layer_norm");
    if (layer.cross_attention_block) {
      add(norms[1], module + ".encoder_attn_layer_norm");
    }
    add(norms.back(), module + ".final_layer_norm");
  }

  void add(const StackParameters& stack, const std::string& module) {
    for (std::size_t i = 0; i < stack.layers.size(); ++i) {
      add(stack.layers[i], fmt::format("{}.layers.{}", module, i));
    }
    if (stack.norm) {
      add(*stack.norm, module + ".layer_norm");
    }
  }

  [[nodiscard]] std::vector<HuggingFaceName> take() { return std::move(names_); }

 private:
  std::vector<HuggingFaceName> names_;
};

}  // namespace

std::vector<HuggingFaceName> huggingface_names(const ModelParameters& parameters) {
  Names names;
  names.add(parameters.encoder, "model.encoder");
  names.add(parameters.decoder, "model.decoder");
  const auto& target = parameters.tgt_embed.embedding.weight;
  names.add(parameters.src_embed.embedding.weight,
            target.is_tied() ? "model.shared.weight" : "model.encoder.embed_tokens.weight");
  names.add(target, "model.decoder.embed_tokens.weight");
  const auto add_positions = [&](const PositionParameters& positions, const char* name) {
    if (positions.embedding) {
      names.add(positions.embedding->weight, name);
    }
  };
  add_positions(parameters.src_pos, "model.encoder.embed_positions.weight");
  add_positions(parameters.tgt_pos, "model.decoder.embed_positions.weight");
  names.add(parameters.projection_layer.proj.weight, "lm_head.weight");
  names.add(parameters.projection_layer.proj.bias.value(), "final_logits_bias");
  return names.take();
}

}  // namespace translate::tools
