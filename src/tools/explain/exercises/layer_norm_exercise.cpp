#include <ATen/ATen.h>

#include "explain/exercises/block_weights.h"
#include "explain/exercises/exercise_kinds.h"
#include "modules/residual_connection.h"

namespace translate {

namespace {

/// Returns the layer norm of x with these weights.
at::Tensor normalise(const at::Tensor& x, const ModelOptions& options, const NamedTensors& weights) {
  LayerNormalization norm(options, encoder_layer(options).residual_connections.front());
  set_parameters(*norm, weights);
  return norm(x);
}

std::vector<ExampleStep> compute_layer_norm(const ExampleFile& file) {
  const auto x = file.matrix("X");
  auto options = block_options(x.size(1));
  read_norm_options(file, options);
  const bool is_reference = options.layer_norm == LayerNormKind::kReference;
  // The module reports neither mean nor deviation. They explain its result and are not used for it.
  std::vector<ExampleStep> steps = {
      {.name = "X", .meaning = "given: each row is normalised by itself", .value = x},
      {.name = "mean", .meaning = "mean of each row", .value = x.mean(/*dim=*/-1, /*keepdim=*/true)}};  // (rows, 1)
  if (is_reference) {
    steps.push_back({.name = "deviation",
                     .meaning = "sqrt(sum of (x - mean)^2 / (d_model - 1)): unbiased",
                     .value = x.std(/*dim=*/-1, /*unbiased=*/true, /*keepdim=*/true)});  // (rows, 1)
  } else {
    steps.push_back({.name = "variance",
                     .meaning = "sum of (x - mean)^2 / d_model: biased",
                     .value = x.var(/*dim=*/-1, /*unbiased=*/false, /*keepdim=*/true)});  // (rows, 1)
  }
  steps.push_back(
      {.name = "normalised",
       .meaning = is_reference ? "(X - mean) / (deviation + epsilon)" : "(X - mean) / sqrt(variance + epsilon)",
       .value = normalise(x, options, /*weights=*/{})});  // alpha starts as ones, bias as zeros
  steps.push_back({.name = "output",
                   .meaning = "alpha * normalised + bias",
                   .value = normalise(x, options, norm_weights(file, /*suffix=*/"", options.d_model))});
  return steps;
}

}  // namespace

ExerciseKind layer_norm_exercise() {
  return {.name = "layer_norm",
          .keys = {"X", "layer_norm", "epsilon", "alpha", "bias"},
          .steps = {"X", "mean", "deviation", "variance", "normalised", "output"},
          .conditions = " (the reference's norm has a deviation, torch's a variance)",
          .compute = &compute_layer_norm};
}

}  // namespace translate
