#include <ATen/ATen.h>
#include <fmt/format.h>

#include <map>

#include "explain/exercises/attention_steps.h"
#include "explain/exercises/block_weights.h"
#include "explain/exercises/exercise_kinds.h"
#include "modules/encoder.h"
#include "modules/execution_context.h"

namespace translate::tools {

namespace {

constexpr const char* kOutput = "output";  // the last step, whatever stage of the block it is

/// The stages of the block with their formulas, those of attention() left out.
std::map<std::string, std::string> meanings_of(const ModelOptions& options) {
  const bool is_pre = options.norm == NormPlacement::kPre;
  const std::string attention_input = is_pre ? "residual_connections.0.norm" : "X";
  const std::string first_output = is_pre ? "residual_connections.0.output" : "residual_connections.0.norm";
  const std::string feed_forward_input = is_pre ? "residual_connections.1.norm" : "residual_connections.0.norm";
  return {
      {"self_attention_block.query", attention_input + " W_q, split into heads"},
      {"self_attention_block.key", attention_input + " W_k, split into heads"},
      {"self_attention_block.value", attention_input + " W_v, split into heads"},
      {"self_attention_block.joined", "the heads side by side"},
      {"self_attention_block.output", "joined W_o"},
      {"residual_connections.0.sum", "X + self_attention_block.output"},
      {"residual_connections.0.norm", is_pre ? "layer norm of X" : "layer norm of the sum"},
      {"residual_connections.0.output", "X + self_attention_block.output"},
      {"feed_forward_block.inner", inner_formula(options, feed_forward_input + " W_1 + b_1")},
      {"feed_forward_block.output", "inner W_2 + b_2"},
      {"residual_connections.1.sum", first_output + " + feed_forward_block.output"},
      {"residual_connections.1.norm", is_pre ? "layer norm of " + first_output : "layer norm of the sum"},
      {"residual_connections.1.output", first_output + " + feed_forward_block.output"},
  };
}

ModelOptions read_options(const ExampleFile& file, std::int64_t d_model) {
  auto options = block_options(d_model);
  options.norm = file.member("norm").choice_or(options.norm);
  options.num_heads = file.member("heads").integer_or(1, kExampleSizes);
  if (d_model % options.num_heads != 0) {
    file.member("heads").fail(fmt::format("the columns of X ({}) must be a multiple of it", d_model));
  }
  read_norm_options(file, options);
  read_feed_forward_options(file, options);
  return options;
}

void set_weights(trainer::EncoderBlock& block, const ExampleFile& file, const ModelOptions& options) {
  const auto set = [&](const std::string& module, const trainer::NamedTensors& weights) {
    trainer::NamedTensors named;
    for (const auto& [name, value] : weights) {
      named.emplace_back(module + "." + name, value);
    }
    set_parameters(*block, named);
  };
  set("self_attention_block", attention_weights_of(file, options.d_model));
  set("feed_forward_block", feed_forward_weights(file, options));
  set("residual_connections.0.norm", norm_weights(file, "_1", options.d_model));
  set("residual_connections.1.norm", norm_weights(file, "_2", options.d_model));
}

std::vector<ExampleStep> compute_encoder_block(const ExampleFile& file) {
  const auto x = file.matrix("X");
  const auto options = read_options(file, x.size(1));
  const auto mask = read_mask(file, x.size(0), x.size(0));
  trainer::EncoderBlock block(options, encoder_layer(options));
  set_weights(block, file, options);

  std::vector<ExampleStep> steps = {{.name = "X", .meaning = "given: a row for each position", .value = x}};
  const auto meanings = meanings_of(options);
  const auto context = trainer::ExecutionContext().observed_by([&](const std::string& name, const at::Tensor& value) {
    if (const auto found = meanings.find(name); found != meanings.end()) {
      steps.push_back({.name = name, .meaning = found->second, .value = without_batch(value)});
    } else {
      add_attention_step(steps, name, value, options.d_model / options.num_heads);
    }
  });
  (void)block(x.unsqueeze(0), mask, context);
  steps.back().name = kOutput;
  return steps;
}

std::vector<std::string> step_names() {
  std::vector<std::string> names = {"X", kOutput};
  for (const auto& [name, meaning] : meanings_of(/*options=*/{})) {
    names.push_back(name);
  }
  for (const auto* stage : {"scores", "scaled", "masked", "weights", "heads"}) {
    names.push_back(fmt::format("self_attention_block.{}", stage));
  }
  return names;
}

}  // namespace

ExerciseKind encoder_block_exercise() {
  return {
      .name = "encoder_block",
      .keys = {"X",   "W",   "W_q",        "W_k",  "W_v",        "W_o",     "heads",   "mask",   "W_1",     "b_1",
               "W_2", "b_2", "activation", "norm", "layer_norm", "epsilon", "alpha_1", "bias_1", "alpha_2", "bias_2"},
      .steps = step_names(),
      .conditions =
          " (masked needs a mask, sum post-norm, residual_connections.0.output pre-norm; the last step is "
          "output)",
      .compute = &compute_encoder_block};
}

}  // namespace translate::tools
