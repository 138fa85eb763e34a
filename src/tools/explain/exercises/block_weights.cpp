#include "explain/exercises/block_weights.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "config/enum_names.h"

namespace translate::tools {

ModelOptions block_options(std::int64_t d_model) {
  ModelOptions options;
  options.d_model = d_model;
  options.encoder_layers = 1;
  options.decoder_layers = 1;
  options.num_heads = 1;
  options.dropout = 0.0;
  return options;
}

LayerParameters encoder_layer(const ModelOptions& options) {
  return describe_parameters(options, /*sizes=*/{}).encoder.layers.front();
}

void read_norm_options(const ExampleFile& file, ModelOptions& options) {
  options.layer_norm = file.member("layer_norm").choice_or(options.layer_norm);
  options.layer_norm_epsilon = file.member("epsilon").number_or(options.layer_norm_epsilon, at_least(0));
  if (options.layer_norm == LayerNormKind::kReference && options.d_model < 2) {
    file.member("X").fail("expected at least 2 columns: one number alone has no unbiased standard deviation");
  }
}

trainer::NamedTensors norm_weights(const ExampleFile& file, const std::string& suffix, std::int64_t d_model) {
  return {{"alpha", file.vector("alpha" + suffix, d_model, 1.0F)},
          {"bias", file.vector("bias" + suffix, d_model, 0.0F)}};
}

void read_feed_forward_options(const ExampleFile& file, ModelOptions& options) {
  options.activation = file.member("activation").choice_or(options.activation);
  options.d_ff = file.matrix("W_1").size(1);
}

trainer::NamedTensors feed_forward_weights(const ExampleFile& file, const ModelOptions& options) {
  return {{"linear_1.weight", file.matrix("W_1", options.d_model, options.d_ff).t()},
          {"linear_1.bias", file.vector("b_1", options.d_ff, 0.0F)},
          {"linear_2.weight", file.matrix("W_2", options.d_ff, options.d_model).t()},
          {"linear_2.bias", file.vector("b_2", options.d_model, 0.0F)}};
}

std::string inner_formula(const ModelOptions& options, const std::string& argument) {
  return fmt::format("{}({})", to_string(options.activation), argument);
}

trainer::NamedTensors attention_weights_of(const ExampleFile& file, std::int64_t d_model) {
  trainer::NamedTensors weights;
  for (const char part : {'q', 'k', 'v', 'o'}) {
    const auto own = fmt::format("W_{}", part);
    const auto key = !file.has(own) && part != 'o' ? "W" : own;
    const auto w = file.has(key) ? file.matrix(key, d_model, d_model) : at::eye(d_model);
    weights.emplace_back(fmt::format("w_{}.weight", part), w.t());
  }
  return weights;
}

void set_parameters(torch::nn::Module& module, const trainer::NamedTensors& values) {
  auto parameters = module.named_parameters();
  for (const auto& [name, value] : values) {
    parameters[name].copy_(value);
  }
}

}  // namespace translate::tools
