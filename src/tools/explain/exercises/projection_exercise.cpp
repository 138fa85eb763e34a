#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/counted.h"
#include "explain/exercises/block_weights.h"
#include "explain/exercises/exercise_kinds.h"
#include "modules/linear_layers.h"

namespace translate::tools {

namespace {

/// Returns the logits of the rows of X.
at::Tensor project(const ExampleFile& file, const at::Tensor& x) {
  const auto w = file.matrix("W");
  if (w.size(0) != x.size(1)) {
    file.member("W").fail(
        fmt::format("expected {}, as many as X has columns, got {}", counted(x.size(1), "row"), w.size(0)));
  }
  const auto vocabulary = w.size(1);
  const auto parameters = describe_parameters(block_options(x.size(1)), {.target = vocabulary});
  trainer::ProjectionLayer layer(parameters.projection_layer, /*target_table=*/at::Tensor());
  set_parameters(*layer, {{"proj.weight", w.t()}, {"proj.bias", file.vector("b", vocabulary, 0.0F)}});
  return layer(x);
}

std::vector<ExampleStep> compute_projection(const ExampleFile& file) {
  std::vector<ExampleStep> steps;
  at::Tensor logits;
  if (file.has("logits")) {
    for (const auto* key : {"X", "W", "b"}) {
      if (file.has(key)) {
        file.member(key).fail("logits are given, or computed from X, W and b: not both");
      }
    }
    logits = file.matrix("logits");
    steps.push_back({.name = "logits", .meaning = "given", .value = logits});
  } else {
    if (!file.has("X")) {
      file.root().fail("expected X and W (to project) or logits");
    }
    const auto x = file.matrix("X");
    logits = project(file, x);
    steps.push_back({.name = "X", .meaning = "given: the decoder's output", .value = x});
    steps.push_back({.name = "logits",
                     .meaning = file.has("b") ? "X W + b: a column for each subword" : "X W: a column for each subword",
                     .value = logits});
  }
  const auto log_probabilities = at::log_softmax(logits, /*dim=*/-1);
  steps.push_back({.name = "log_probabilities",
                   .meaning = "log-softmax: logits - log(sum of e^logits) of the row",
                   .value = log_probabilities});
  steps.push_back({.name = "probabilities",
                   .meaning = "e^log_probabilities, the softmax: each row sums to 1",
                   .value = log_probabilities.exp()});
  return steps;
}

}  // namespace

ExerciseKind projection_exercise() {
  return {.name = "projection",
          .keys = {"X", "W", "b", "logits"},
          .steps = {"X", "logits", "log_probabilities", "probabilities"},
          .conditions = " (X is a step if it is given)",
          .compute = &compute_projection};
}

}  // namespace translate::tools
