#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/counted.h"
#include "explain/exercises/attention_steps.h"
#include "explain/exercises/exercise_kinds.h"
#include "modules/execution_context.h"
#include "modules/multi_head_attention_block.h"

namespace translate::tools {

namespace {

/// Returns x W with the matrix `weight` of the file, or with W, which is for all projections; x if the file has
/// neither.
at::Tensor project(const ExampleFile& file, const at::Tensor& x, const std::string& weight) {
  const auto key = file.has(weight) ? weight : "W";
  if (!file.has(key)) {
    return x;
  }
  const auto w = file.matrix(key);
  if (w.size(0) != x.size(1)) {
    file.member(key).fail(
        fmt::format("expected {}, as many as its input has columns, got {}", counted(x.size(1), "row"), w.size(0)));
  }
  return at::matmul(x, w);
}

struct Inputs {
  at::Tensor query;
  at::Tensor key;
  at::Tensor value;
};

/// Reads Q, K, V, or projects them from X (queries) and Z (keys and values; X if there is no Z).
Inputs read_inputs(const ExampleFile& file, std::vector<ExampleStep>& steps) {
  const auto given = [&](const std::string& name, const char* meaning) {
    auto value = file.matrix(name);
    steps.push_back({.name = name, .meaning = meaning, .value = value});
    return value;
  };
  if (file.has("Q")) {
    if (file.has("X") || file.has("Z") || file.has("W") || file.has("W_q") || file.has("W_k") || file.has("W_v")) {
      file.member("Q").fail("Q, K, V are given as they are, or computed from X, Z and W: not both");
    }
    const auto* meaning = file.has("K") ? "given" : file.has("V") ? "given, also as K" : "given, also as K and V";
    Inputs inputs{.query = given("Q", meaning), .key = {}, .value = {}};
    inputs.key = file.has("K") ? given("K", file.has("V") ? "given" : "given, also as V") : inputs.query;
    inputs.value = file.has("V") ? given("V", "given") : inputs.key;
    return inputs;
  }
  if (!file.has("X")) {
    file.root().fail("expected X (to project) or Q (to use as it is)");
  }
  if (file.has("K") || file.has("V")) {
    file.member(file.has("K") ? "K" : "V").fail("K and V go with Q, not with X");
  }
  const auto x = given("X", "given");
  const auto z = file.has("Z") ? given("Z", "given: the input of keys and values") : x;
  const auto from = file.has("Z") ? "Z" : "X";
  Inputs inputs{.query = project(file, x, "W_q"), .key = project(file, z, "W_k"), .value = project(file, z, "W_v")};
  const auto formula = [&](const char* side, const std::string& weight) {
    return file.has(weight) ? fmt::format("{} {}", side, weight) : file.has("W") ? fmt::format("{} W", side) : side;
  };
  steps.push_back({.name = "Q", .meaning = formula("X", "W_q"), .value = inputs.query});
  steps.push_back({.name = "K", .meaning = formula(from, "W_k"), .value = inputs.key});
  steps.push_back({.name = "V", .meaning = formula(from, "W_v"), .value = inputs.value});
  return inputs;
}

void check_inputs(const ExampleFile& file, const Inputs& inputs, std::int64_t heads) {
  const auto name = [&](const char* key) { return file.has(key) ? key : ""; };
  if (inputs.key.size(1) != inputs.query.size(1)) {
    file.member(name("K")).fail(fmt::format("K has {} and Q {}: a score is a product of their rows",
                                            counted(inputs.key.size(1), "column"), inputs.query.size(1)));
  }
  if (inputs.value.size(0) != inputs.key.size(0)) {
    file.member(name("V")).fail(fmt::format("V has {} and K {}: each key has its value",
                                            counted(inputs.value.size(0), "row"), inputs.key.size(0)));
  }
  if (inputs.query.size(1) % heads != 0 || inputs.value.size(1) % heads != 0) {
    file.member("heads").fail(fmt::format("the columns of Q ({}) and V ({}) must be multiples of it",
                                          inputs.query.size(1), inputs.value.size(1)));
  }
}

/// (length, columns) -> (1, heads, length, columns / heads).
at::Tensor split_columns(const at::Tensor& x, std::int64_t heads) {
  return x.view({1, x.size(0), heads, x.size(1) / heads}).transpose(1, 2);
}

/// Pads with zero columns up to d_k: the products stay the same, and the scale becomes that of d_k.
at::Tensor widen(const at::Tensor& x, std::int64_t d_k) { return at::constant_pad_nd(x, {0, d_k - x.size(-1)}); }

void attend(const ExampleFile& file, const Inputs& inputs, std::vector<ExampleStep>& steps) {
  const auto heads = file.member("heads").integer_or(1, kExampleSizes);
  check_inputs(file, inputs, heads);
  const auto columns = inputs.query.size(1) / heads;
  const auto d_k = file.member("d_k").integer_or(columns, kExampleSizes);
  if (d_k < columns) {
    file.member("d_k").fail(
        fmt::format("expected at least the {} of Q{}", counted(columns, "column"), heads > 1 ? " in a head" : ""));
  }
  const auto mask = read_mask(file, inputs.query.size(0), inputs.key.size(0));
  const auto context = trainer::ExecutionContext().observed_by(
      [&](const std::string& name, const at::Tensor& value) { add_attention_step(steps, name, value, d_k); });
  auto output = trainer::attention(
      widen(split_columns(inputs.query, heads), d_k),
      {.key = widen(split_columns(inputs.key, heads), d_k), .value = split_columns(inputs.value, heads)}, mask,
      /*dropout=*/nullptr, context);
  output = trainer::MultiHeadAttentionBlockImpl::join_heads(output)[0];  // (rows, columns)
  if (heads > 1) {
    steps.push_back({.name = "joined", .meaning = "the heads concatenated", .value = output});
  } else if (!file.has("W_o")) {
    steps.back().name = "output";  // no projection follows the single head
    return;
  }
  if (file.has("W_o")) {
    const auto w_o = file.matrix("W_o");
    if (w_o.size(0) != output.size(1)) {
      file.member("W_o").fail(fmt::format("expected {}, as many as the joined heads have columns, got {}",
                                          counted(output.size(1), "row"), w_o.size(0)));
    }
    output = at::matmul(output, w_o);
  }
  steps.push_back({.name = "output", .meaning = file.has("W_o") ? "times W_o" : "the heads joined", .value = output});
}

std::vector<ExampleStep> compute_attention(const ExampleFile& file) {
  std::vector<ExampleStep> steps;
  const auto inputs = read_inputs(file, steps);
  attend(file, inputs, steps);
  return steps;
}

}  // namespace

ExerciseKind attention_exercise() {
  return {
      .name = "attention",
      .keys = {"X", "Z", "Q", "K", "V", "W", "W_q", "W_k", "W_v", "W_o", "heads", "d_k", "mask"},
      .steps = {"X", "Z", "Q", "K", "V", "scores", "scaled", "masked", "weights", "heads", "joined", "output"},
      .conditions = " (masked needs a mask, joined several heads, heads one of these or W_o)",
      .compute = &compute_attention,
  };
}

}  // namespace translate::tools
