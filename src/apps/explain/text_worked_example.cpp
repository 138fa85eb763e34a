#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/command_line/line_stream.h"
#include "apps/explain/text_layout.h"
#include "apps/explain/worked_example.h"

namespace translate {
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
