#include <ATen/ATen.h>

#include "explain/exercises/block_weights.h"
#include "explain/exercises/exercise_kinds.h"
#include "modules/execution_context.h"
#include "modules/feed_forward_block.h"

namespace translate::tools {

namespace {

std::vector<ExampleStep> compute_feed_forward(const ExampleFile& file) {
  const auto x = file.matrix("X");
  auto options = block_options(x.size(1));
  read_feed_forward_options(file, options);
  trainer::FeedForwardBlock block(options, encoder_layer(options).feed_forward_block);
  set_parameters(*block, feed_forward_weights(file, options));

  std::vector<ExampleStep> steps = {
      {.name = "X", .meaning = "given: a row for each position", .value = x},
      {.name = "linear_1", .meaning = "X W_1 + b_1", .value = block->linear_1(x)}};  // (rows, d_ff)
  const auto context = trainer::ExecutionContext().observed_by([&](const std::string& name, const at::Tensor& value) {
    steps.push_back({.name = name,
                     .meaning = name == "inner" ? inner_formula(options, "linear_1") : "inner W_2 + b_2",
                     .value = value});
  });
  (void)block(x, /*sentences=*/nullptr, context);
  return steps;
}

}  // namespace

ExerciseKind feed_forward_exercise() {
  return {.name = "feed_forward",
          .keys = {"X", "W_1", "b_1", "W_2", "b_2", "activation"},
          .steps = {"X", "linear_1", "inner", "output"},
          .conditions = "",
          .compute = &compute_feed_forward};
}

}  // namespace translate::tools
