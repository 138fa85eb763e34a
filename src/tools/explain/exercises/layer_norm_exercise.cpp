#include <ATen/ATen.h>

#include "explain/exercises/block_weights.h"
#include "explain/exercises/exercise_kinds.h"
#include "modules/residual_connection.h"

namespace translate::tools {

namespace {

/// Returns the layer norm of x with these weights.
at::Tensor normalise(const at::Tensor& x, const ModelOptions& options, const trainer::NamedTensors& weights) {
  trainer::LayerNormalization norm(options, encoder_layer(options).residual_connections.front());
  set_parameters(*norm, weights);
  return norm(x);
}

std::vector<ExampleStep> compute_layer_norm(const ExampleFile& file) {
  const auto x = file.matrix("X");
  auto options = block_options(x.size(1));
  read_norm_options(file, options);
  const auto kind = options.layer_norm;
  const bool is_rms = kind == LayerNormKind::kRms;
  const bool is_reference = kind == LayerNormKind::kReference;
  // The module reports neither mean nor deviation. They explain its result and are not used for it.
  std::vector<ExampleStep> steps = {{.name = "X", .meaning = "given: each row is normalised by itself", .value = x}};
  if (!is_rms) {
    steps.push_back(
        {.name = "mean", .meaning = "mean of each row", .value = x.mean(/*dim=*/-1, /*keepdim=*/true)});  // (rows, 1)
  }
  if (is_reference) {
    steps.push_back({.name = "deviation",
                     .meaning = "sqrt(sum of (x - mean)^2 / (d_model - 1)): unbiased",
                     .value = x.std(/*dim=*/-1, /*unbiased=*/true, /*keepdim=*/true)});  // (rows, 1)
  } else if (is_rms) {
    steps.push_back({.name = "square",
                     .meaning = "sum of x^2 / d_model",
                     .value = x.square().mean(/*dim=*/-1, /*keepdim=*/true)});  // (rows, 1)
  } else {
    steps.push_back({.name = "variance",
                     .meaning = "sum of (x - mean)^2 / d_model: biased",
                     .value = x.var(/*dim=*/-1, /*unbiased=*/false, /*keepdim=*/true)});  // (rows, 1)
  }
  steps.push_back({.name = "normalised",
                   .meaning = is_rms         ? "X / sqrt(square + epsilon)"
                              : is_reference ? "(X - mean) / (deviation + epsilon)"
                                             : "(X - mean) / sqrt(variance + epsilon)",
                   .value = normalise(x, options, /*weights=*/{})});  // alpha starts as ones, bias as zeros
  auto weights = norm_weights(file, /*suffix=*/"", options.d_model);
  if (is_rms) {
    weights.pop_back();  // it has no bias
  }
  steps.push_back({.name = "output",
                   .meaning = is_rms ? "alpha * normalised" : "alpha * normalised + bias",
                   .value = normalise(x, options, weights)});
  return steps;
}

}  // namespace

ExerciseKind layer_norm_exercise() {
  return {.name = "layer_norm",
          .keys = {"X", "layer_norm", "epsilon", "alpha", "bias"},
          .steps = {"X", "mean", "deviation", "square", "variance", "normalised", "output"},
          .conditions = " (the reference's norm has a deviation, torch's a variance, RMSNorm a square and no mean)",
          .compute = &compute_layer_norm};
}

}  // namespace translate::tools
