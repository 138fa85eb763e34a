#include "apps/explain/worked_example.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/command_line/line_stream.h"
#include "apps/explain/example_file.h"
#include "apps/explain/text_layout.h"
#include "model/modules/execution_context.h"
#include "model/modules/masks.h"
#include "model/modules/multi_head_attention_block.h"

namespace translate {

namespace {

constexpr double kTolerance = 0.005;  // claims are often given with two decimals

/// Returns x W with the matrix `weight` of the file, or with W, which is for all projections; x if the file has
/// neither.
at::Tensor project(const ExampleFile& file, const at::Tensor& x, const std::string& weight) {
  const auto key = file.has(weight) ? weight : "W";
  if (!file.has(key)) {
    return x;
  }
  const auto w = file.matrix(key);
  if (w.size(0) != x.size(1)) {
    file.fail(key, fmt::format("expected {} rows, as many as its input has columns, got {}", x.size(1), w.size(0)));
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
    steps.push_back({name, meaning, value, {}});
    return value;
  };
  if (file.has("Q")) {
    if (file.has("X") || file.has("Z") || file.has("W") || file.has("W_q") || file.has("W_k") || file.has("W_v")) {
      file.fail("Q", "Q, K, V are given as they are, or computed from X, Z and W: not both");
    }
    const auto* meaning = file.has("K") ? "given" : file.has("V") ? "given, also as K" : "given, also as K and V";
    Inputs inputs{.query = given("Q", meaning), .key = {}, .value = {}};
    inputs.key = file.has("K") ? given("K", file.has("V") ? "given" : "given, also as V") : inputs.query;
    inputs.value = file.has("V") ? given("V", "given") : inputs.key;
    return inputs;
  }
  if (!file.has("X")) {
    file.fail("", "expected X (to project) or Q (to use as it is)");
  }
  if (file.has("K") || file.has("V")) {
    file.fail(file.has("K") ? "K" : "V", "K and V go with Q, not with X");
  }
  const auto x = given("X", "given");
  const auto z = file.has("Z") ? given("Z", "given: the input of keys and values") : x;
  const auto from = file.has("Z") ? "Z" : "X";
  Inputs inputs{.query = project(file, x, "W_q"), .key = project(file, z, "W_k"), .value = project(file, z, "W_v")};
  const auto formula = [&](const char* side, const std::string& weight) {
    return file.has(weight) ? fmt::format("{} {}", side, weight) : file.has("W") ? fmt::format("{} W", side) : side;
  };
  steps.push_back({"Q", formula("X", "W_q"), inputs.query, {}});
  steps.push_back({"K", formula(from, "W_k"), inputs.key, {}});
  steps.push_back({"V", formula(from, "W_v"), inputs.value, {}});
  return inputs;
}

void check_inputs(const ExampleFile& file, const Inputs& inputs, std::int64_t heads) {
  const auto name = [&](const char* key) { return file.has(key) ? key : ""; };
  if (inputs.key.size(1) != inputs.query.size(1)) {
    file.fail(name("K"), fmt::format("K has {} columns and Q {}: a score is a product of their rows",
                                     inputs.key.size(1), inputs.query.size(1)));
  }
  if (inputs.value.size(0) != inputs.key.size(0)) {
    file.fail(name("V"),
              fmt::format("V has {} rows and K {}: each key has its value", inputs.value.size(0), inputs.key.size(0)));
  }
  if (inputs.query.size(1) % heads != 0 || inputs.value.size(1) % heads != 0) {
    file.fail("heads", fmt::format("the columns of Q ({}) and V ({}) must be multiples of it", inputs.query.size(1),
                                   inputs.value.size(1)));
  }
}

at::Tensor read_mask(const ExampleFile& file, const Inputs& inputs) {
  if (!file.has("mask")) {
    return {};
  }
  const auto rows = inputs.query.size(0);
  const auto columns = inputs.key.size(0);
  if (file.mask_is_causal()) {
    if (rows != columns) {
      file.fail("mask", "a causal mask needs as many queries as keys");
    }
    return causal_mask(rows, at::kCPU)[0][0];
  }
  const auto mask = file.matrix("mask");
  if (mask.size(0) != rows || mask.size(1) != columns) {
    file.fail("mask", fmt::format("expected \"causal\" or {} rows of {}: 1 = may attend", rows, columns));
  }
  if (mask.ne(0).logical_and(mask.ne(1)).any().item<bool>()) {
    file.fail("mask", "expected only 1 (may attend) and 0 (may not); nothing is added to the scores");
  }
  return mask.to(at::kBool);
}

/// (length, columns) -> (1, heads, length, columns / heads).
at::Tensor split_columns(const at::Tensor& x, std::int64_t heads) {
  return x.view({1, x.size(0), heads, x.size(1) / heads}).transpose(1, 2);
}

/// Pads with zero columns up to d_k: the products stay the same, and the scale becomes that of d_k.
at::Tensor widen(const at::Tensor& x, std::int64_t d_k) { return at::constant_pad_nd(x, {0, d_k - x.size(-1)}); }

/// Returns the meaning of a stage with this value.
std::string meaning_of(const std::string& stage, std::int64_t d_k, const at::Tensor& value) {
  if (stage == "scores") return "Q times K transposed: a row for each query";
  if (stage == "scaled") return fmt::format("scores / sqrt(d_k = {})", d_k);
  if (stage == "masked") return "-inf where the mask forbids attention";
  if (stage == "weights") {
    const bool blind = value.sum(-1).eq(0).any().item<bool>();
    return blind ? "softmax of each row: sums are 1; fully masked rows are zero" : "softmax of each row: it sums to 1";
  }
  return "weights times V: sums of values, weighted";
}

void attend(const ExampleFile& file, const Inputs& inputs, std::vector<ExampleStep>& steps) {
  const auto heads = file.count("heads", 1);
  check_inputs(file, inputs, heads);
  const auto columns = inputs.query.size(1) / heads;
  const auto d_k = file.count("d_k", columns);
  if (d_k < columns) {
    file.fail("d_k", fmt::format("expected at least the {} columns of Q{}", columns, heads > 1 ? " in a head" : ""));
  }
  const auto mask = read_mask(file, inputs);
  const auto context = ExecutionContext().observed_by([&](const std::string& name, const at::Tensor& value) {
    steps.push_back({name, meaning_of(name, d_k, value), heads == 1 ? value[0][0] : value[0], {}});
  });
  auto output =
      attention(widen(split_columns(inputs.query, heads), d_k),
                {.key = widen(split_columns(inputs.key, heads), d_k), .value = split_columns(inputs.value, heads)},
                mask, /*dropout=*/nullptr, context);
  output = MultiHeadAttentionBlockImpl::join_heads(output)[0];  // (rows, columns)
  if (heads > 1) {
    steps.push_back({"joined", "the heads concatenated", output, {}});
  } else if (!file.has("W_o")) {
    steps.back().name = "output";  // no projection follows the single head
    return;
  }
  if (file.has("W_o")) {
    const auto w_o = file.matrix("W_o");
    if (w_o.size(0) != output.size(1)) {
      file.fail("W_o", fmt::format("expected {} rows, got {}", output.size(1), w_o.size(0)));
    }
    output = at::matmul(output, w_o);
  }
  steps.push_back({"output", file.has("W_o") ? "times W_o" : "the heads joined", output, {}});
}

/// Makes masked scores equal: they are -inf here and often -1e9 elsewhere, with the same meaning.
at::Tensor comparable(const at::Tensor& value) { return value.to(at::kDouble).clamp_min(-1e4); }

}  // namespace

std::optional<double> ExampleStep::largest_difference() const {
  if (!claimed) {
    return std::nullopt;
  }
  return (comparable(value) - comparable(*claimed)).abs().max().item<double>();
}

const ExampleStep* WorkedExample::first_departure() const {
  const auto departs = [this](const ExampleStep& step) {
    return !(step.largest_difference().value_or(0.0) <= tolerance);
  };
  const auto found = std::ranges::find_if(steps, departs);
  return found == steps.end() ? nullptr : &*found;
}

WorkedExample compute_example(const std::filesystem::path& file_path) {
  const at::NoGradGuard no_grad;
  const ExampleFile file(file_path);
  WorkedExample example{.title = file.text("title"),
                        .note = file.text("note"),
                        .tolerance = file.number("tolerance", kTolerance),
                        .steps = {}};
  const auto inputs = read_inputs(file, example.steps);
  attend(file, inputs, example.steps);
  std::vector<std::string> names;
  for (const auto& step : example.steps) {
    names.push_back(step.name);
  }
  file.check_claims(names);
  for (auto& step : example.steps) {
    if (auto claimed = file.claim(step.name, step.value.sizes()); claimed.defined()) {
      step.claimed = std::move(claimed);
    }
  }
  return example;
}

namespace {

using Json = nlohmann::ordered_json;

/// Returns the rows of a matrix in columns of equal width: a matrix of integers without decimals, others with four.
/// Rows longer than 80 columns are cut with "...".
std::string rows_text(const at::Tensor& matrix) {
  const auto finite = matrix.isfinite();
  const bool whole = at::where(finite, matrix, at::zeros_like(matrix)).frac().eq(0).all().item<bool>();
  const auto text_of = [&](std::int64_t row, std::int64_t column) {
    return fmt::format("{:.{}f}", matrix[row][column].item<double>(), whole ? 0 : 4);
  };
  std::size_t width = 0;
  for (std::int64_t row = 0; row < matrix.size(0); ++row) {
    for (std::int64_t column = 0; column < matrix.size(1); ++column) {
      width = std::max(width, text_of(row, column).size() + 2);
    }
  }
  constexpr std::size_t kCut = 5;  // "  ..."
  const auto most = static_cast<std::int64_t>((kTerminalWidth - kCut) / width);
  std::string text;
  for (std::int64_t row = 0; row < matrix.size(0); ++row) {
    for (std::int64_t column = 0; column < std::min(most, matrix.size(1)); ++column) {
      text += pad_left(text_of(row, column), width);
    }
    text += matrix.size(1) > most ? "  ...\n" : "\n";
  }
  return text;
}

std::string matrix_text(const at::Tensor& value) {
  if (value.dim() == 2) {
    return rows_text(value);
  }
  std::string text;
  for (std::int64_t head = 0; head < value.size(0); ++head) {
    text += fmt::format("  head {}\n{}", head, rows_text(value[head]));
  }
  return text;
}

std::string claim_text(const ExampleStep& step, double tolerance) {
  if (!step.claimed) {
    return "";
  }
  const auto difference = *step.largest_difference();
  if (difference <= tolerance) {
    return difference == 0.0 ? "  as claimed\n" : fmt::format("  as claimed (largest difference {:.1e})\n", difference);
  }
  return fmt::format("  claimed: differs by up to {:.3g}\n{}", difference, matrix_text(*step.claimed));
}

}  // namespace

std::string to_text(const WorkedExample& example) {
  auto text = wrapped(example.title) + wrapped(example.note);
  bool claims = false;
  for (const auto& step : example.steps) {
    text += "\n" + wrapped(fmt::format("{} {}: {}", step.name, shape_text(step.value.sizes()), step.meaning)) +
            matrix_text(step.value) + claim_text(step, example.tolerance);
    claims = claims || step.claimed;
  }
  if (const auto* step = example.first_departure()) {
    text += fmt::format("\nThe first step that differs from its claim: {}", step->name);
  } else if (claims) {
    text += fmt::format("\nEvery claim holds (within {}).", example.tolerance);
  } else {
    text.pop_back();  // the caller ends the last line
  }
  return text;
}

std::string to_json(const WorkedExample& example) {
  auto steps = Json::array();
  for (const auto& step : example.steps) {
    Json object = {{"name", step.name}, {"meaning", step.meaning}, {"value", tensor_json(step.value)}};
    if (step.claimed) {
      object["claimed"] = tensor_json(*step.claimed);
      object["largest_difference"] = *step.largest_difference();
    }
    steps.push_back(std::move(object));
  }
  const auto* departure = example.first_departure();
  return json_line({{"title", example.title},
                    {"steps", std::move(steps)},
                    {"departs", departure == nullptr ? Json(nullptr) : Json(departure->name)}});
}

}  // namespace translate
