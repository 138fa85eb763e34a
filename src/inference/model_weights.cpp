#include "translate/inference/model_weights.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "translate/core/error.h"
#include "translate/model/positional_encoding.h"

namespace translate {
namespace {

/// The parameters by their names.
class Parameters {
 public:
  Parameters(const ModelOptions& options, const std::vector<std::pair<std::string, at::Tensor>>& parameters,
             WeightFormat format)
      : options_(options), format_(format), by_name_(parameters.begin(), parameters.end()) {}

  /// The parameter of that name and shape, contiguous floats on the CPU.
  [[nodiscard]] at::Tensor take(const std::string& name, at::IntArrayRef shape) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) {
      throw CheckpointError(fmt::format("the weights lack {}", name));
    }
    if (found->second.sizes() != shape) {
      throw CheckpointError(fmt::format("{} has shape [{}], the model [{}]", name,
                                        fmt::join(found->second.sizes(), ", "), fmt::join(shape, ", ")));
    }
    taken_.insert(name);
    return found->second.detach().to(at::kCPU, at::kFloat).contiguous();
  }

  /// Throws CheckpointError where a parameter was not taken.
  void check_all_taken() const {
    for (const auto& [name, tensor] : by_name_) {
      if (!taken_.contains(name)) {
        throw CheckpointError(fmt::format("{} is left over", name));
      }
    }
  }

  [[nodiscard]] NormWeights norm(const std::string& name) const {
    NormWeights norm{.alpha = take(name + ".alpha", {options_.d_model}),
                     .bias = take(name + ".bias", {options_.d_model})};
    norm.rule = {.alpha = norm.alpha.const_data_ptr<float>(),
                 .bias = norm.bias.const_data_ptr<float>(),
                 .width = options_.d_model,
                 .epsilon = static_cast<float>(options_.layer_norm_epsilon),
                 .of_reference = options_.layer_norm == LayerNormKind::kReference};
    return norm;
  }

  [[nodiscard]] NormWeights residual_norm(const std::string& layer, int index) const {
    return norm(fmt::format("{}.residual_connections.{}.norm", layer, index));
  }

  /// Square layers of attention that read the same, side by side.
  [[nodiscard]] LinearWeights attention(const std::vector<std::string>& names) const {
    std::vector<at::Tensor> weights;
    std::vector<at::Tensor> biases;
    for (const auto& name : names) {
      weights.push_back(take(name + ".weight", {options_.d_model, options_.d_model}));
      if (options_.attention_bias) {
        biases.push_back(take(name + ".bias", {options_.d_model}));
      }
    }
    return {weights, biases, format_};
  }

  [[nodiscard]] SelfAttentionWeights self_attention(const std::string& layer) const {
    const auto block = layer + ".self_attention_block.";
    return {.norm = residual_norm(layer, 0),
            .query_key_value = attention({block + "w_q", block + "w_k", block + "w_v"}),
            .output = attention({block + "w_o"})};
  }

  [[nodiscard]] CrossAttentionWeights cross_attention(const std::string& layer) const {
    const auto block = layer + ".cross_attention_block.";
    return {.norm = residual_norm(layer, 1),
            .query = attention({block + "w_q"}),
            .key_value = attention({block + "w_k", block + "w_v"}),
            .output = attention({block + "w_o"})};
  }

  [[nodiscard]] FeedForwardWeights feed_forward(const std::string& layer, int index) const {
    const auto linear = [&](const std::string& name, std::int64_t out, std::int64_t in) {
      const auto full = layer + ".feed_forward_block." + name;
      return LinearWeights(std::array{take(full + ".weight", {out, in})}, std::array{take(full + ".bias", {out})},
                           format_);
    };
    return {.norm = residual_norm(layer, index),
            .first = linear("linear_1", options_.d_ff, options_.d_model),
            .second = linear("linear_2", options_.d_model, options_.d_ff)};
  }

  [[nodiscard]] at::Tensor positions(const std::string& side) const {
    switch (options_.positions) {
      case PositionKind::kLearned:
        return take(side + "_pos.embedding.weight", {options_.max_positions, options_.d_model});
      case PositionKind::kSinusoidal:
        return sinusoidal_positions(options_.max_positions, options_.d_model)[0];
      case PositionKind::kNone:
        break;
    }
    return {};
  }

 private:
  const ModelOptions& options_;
  WeightFormat format_;
  std::unordered_map<std::string, at::Tensor> by_name_;
  mutable std::unordered_set<std::string> taken_;
};

void pack_layers(const Parameters& parameters, ModelWeights& model) {
  for (std::int64_t i = 0; i < model.options.encoder_layers; ++i) {
    const auto layer = fmt::format("encoder.layers.{}", i);
    model.encoder.push_back(
        {.self = parameters.self_attention(layer), .feed_forward = parameters.feed_forward(layer, 1)});
  }
  for (std::int64_t i = 0; i < model.options.decoder_layers; ++i) {
    const auto layer = fmt::format("decoder.layers.{}", i);
    model.decoder.push_back({.self = parameters.self_attention(layer),
                             .cross = parameters.cross_attention(layer),
                             .feed_forward = parameters.feed_forward(layer, 2)});
  }
  if (model.options.norm == NormPlacement::kPre) {
    model.encoder_norm = parameters.norm("encoder.norm");
    model.decoder_norm = parameters.norm("decoder.norm");
  }
}

}  // namespace

void NormWeights::apply(std::int64_t rows, const float* from, float* to) const {
  for (std::int64_t row = 0; row < rows; ++row, from += rule.width, to += rule.width) {
    normalize_row(rule, from, to);
  }
}

ModelWeights pack_weights(const ModelOptions& options, const VocabularySizes& sizes,
                          const std::vector<std::pair<std::string, at::Tensor>>& given, WeightFormat format) {
  const Parameters parameters(options, given, format);
  const auto tying = options.tie_embeddings;
  const float factor = options.embedding_scale ? std::sqrt(static_cast<float>(options.d_model)) : 1.0F;
  ModelWeights model;
  model.options = options;
  model.sizes = sizes;
  model.format = format;
  const auto source = parameters.take("src_embed.embedding.weight", {sizes.source, options.d_model});
  const auto target = tying == EmbeddingTying::kAll
                          ? source
                          : parameters.take("tgt_embed.embedding.weight", {sizes.target, options.d_model});
  model.source_embedding = {.table = source, .factor = factor};
  model.target_embedding = {.table = target, .factor = factor};
  model.source_positions = parameters.positions("src");
  model.target_positions = parameters.positions("tgt");
  pack_layers(parameters, model);
  const auto projection = tying == EmbeddingTying::kNone
                              ? parameters.take("projection_layer.proj.weight", {sizes.target, options.d_model})
                              : target;
  model.projection = LinearWeights(std::array{projection},
                                   std::array{parameters.take("projection_layer.proj.bias", {sizes.target})}, format);
  parameters.check_all_taken();
  return model;
}

}  // namespace translate
