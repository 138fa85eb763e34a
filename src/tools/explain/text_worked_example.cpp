// The text and the JSON of a worked example.

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "command_line/line_stream.h"
#include "explain/text_layout.h"
#include "explain/worked_example.h"

namespace translate::tools {

namespace {

using Json = nlohmann::ordered_json;

/// How the numbers of a step are written.
struct NumberStyle {
  bool scientific = false;     ///< with an exponent, for values of very different sizes
  const char* open = nullptr;  ///< of claims: stands for a number that the file does not claim
};

std::string number_of(double value, bool whole, const NumberStyle& style) {
  if (style.open != nullptr && std::isnan(value)) {
    return style.open;
  }
  if (style.scientific) {
    return fmt::format("{:.5e}", value);
  }
  constexpr double kLargestWithDecimals = 1000.0;   // seven digits, as many as single precision has
  constexpr double kLargestInteger = 16'777'216.0;  // 2^24: up to there, it holds all of them
  const bool has_exact_digits = std::abs(value) <= (whole ? kLargestInteger : kLargestWithDecimals);
  if (std::isfinite(value) && !has_exact_digits) {
    return fmt::format("{:.7g}", value);
  }
  auto text = fmt::format("{:.{}f}", value, whole ? 0 : 4);
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text.front() == '-' ? text.substr(1) : text;
}

/// Returns the rows of a matrix in columns of equal width: a matrix of integers without decimals, others with four.
/// Rows longer than 80 columns are cut with "...".
std::string rows_text(const at::Tensor& matrix, const NumberStyle& style) {
  const auto finite = matrix.isfinite();
  const bool whole = at::where(finite, matrix, at::zeros_like(matrix)).frac().eq(0).all().item<bool>();
  const auto values = matrix.to(at::kDouble).contiguous();
  std::vector<std::string> numbers;  // row after row
  std::size_t width = 0;
  for (const double value : std::span(values.const_data_ptr<double>(), static_cast<std::size_t>(values.numel()))) {
    numbers.push_back(number_of(value, whole, style));
    width = std::max(width, numbers.back().size() + 2);
  }
  constexpr std::size_t kCut = 5;  // "  ..."
  const auto columns = static_cast<std::size_t>(matrix.size(1));
  const auto shown = columns * width <= kTerminalWidth ? columns : (kTerminalWidth - kCut) / width;
  std::string text;
  for (std::size_t row = 0; row < numbers.size(); row += columns) {
    for (std::size_t column = 0; column < std::min(shown, columns); ++column) {
      text += pad_left(numbers[row + column], width);
    }
    text += columns > shown ? "  ...\n" : "\n";
  }
  return text;
}

std::string matrix_text(const at::Tensor& value, const NumberStyle& style) {
  if (value.dim() == 2) {
    return rows_text(value, style);
  }
  std::string text;
  for (std::int64_t head = 0; head < value.size(0); ++head) {
    text += fmt::format("  head {}\n{}", head, rows_text(value[head], style));
  }
  return text;
}

std::string difference_text(double difference, Comparison comparison) {
  return comparison == Comparison::kRelative ? fmt::format("{:.3g} %", 100.0 * difference)
                                             : fmt::format("{:.3g}", difference);
}

std::string claim_text(const ExampleStep& step, ClaimVerdict verdict) {
  if (verdict == ClaimVerdict::kNotClaimed) {
    return "";
  }
  const auto difference = *step.largest_difference();
  if (verdict == ClaimVerdict::kHolds) {
    return difference == 0.0 ? "  as claimed\n" : fmt::format("  as claimed (largest difference {:.1e})\n", difference);
  }
  const NumberStyle style{.scientific = step.comparison == Comparison::kRelative, .open = "?"};
  if (verdict == ClaimVerdict::kEquivalent) {
    return fmt::format("  claimed, and as good: {}\n{}", step.equivalent->meaning, matrix_text(*step.claimed, style));
  }
  return fmt::format("  claimed: differs by up to {}\n{}", difference_text(difference, step.comparison),
                     matrix_text(*step.claimed, style));
}

/// Returns the claim of a step with blanks, and how its numbers so far compare with the computed ones.
std::string blanks_text(const ExampleStep& step, ClaimVerdict verdict) {
  std::string so_far;
  if (verdict == ClaimVerdict::kDeparts) {
    so_far = fmt::format("; the numbers so far differ by up to {}",
                         difference_text(*step.largest_difference(), step.comparison));
  } else if (!step.claimed->isnan().all().item<bool>()) {
    so_far = "; the numbers so far hold";
  }
  const NumberStyle style{.scientific = step.comparison == Comparison::kRelative, .open = "_"};
  return matrix_text(*step.claimed, style) + "  to fill in" + so_far + "\n";
}

std::string step_text(const ExampleStep& step, ClaimVerdict verdict) {
  const NumberStyle style{.scientific = step.comparison == Comparison::kRelative};
  return "\n" + wrapped(fmt::format("{} {}: {}", step.name, shape_text(step.value.sizes()), step.meaning)) +
         (step.has_blanks ? blanks_text(step, verdict) : matrix_text(step.value, style) + claim_text(step, verdict));
}

}  // namespace

std::string to_text(const WorkedExample& example) {  // the caller ends the last line
  auto text = wrapped(example.title) + wrapped(example.note);
  const auto verdicts = example.verdicts();
  for (std::size_t i = 0; i < example.steps.size(); ++i) {
    text += step_text(example.steps[i], verdicts[i]);
    if (example.steps[i].has_blanks) {
      text += "\n" + wrapped(fmt::format("Fill in the blanks of {} (_ in the file): its result and the steps after it "
                                         "are shown then.",
                                         example.steps[i].name));
      text.pop_back();
      return text;
    }
  }
  if (const auto* step = example.first_departure()) {
    const auto [value, claimed] = step->largest_contrast();
    text +=
        "\n" + wrapped(fmt::format("The first step that differs from its claim: {} ({:.6g} where {:.6g} is claimed)",
                                   step->name, value, claimed));
    text.pop_back();
  } else if (!std::ranges::all_of(verdicts, [](auto verdict) { return verdict == ClaimVerdict::kNotClaimed; })) {
    text += fmt::format("\nEvery claim holds (within {}).", example.tolerance);
  } else {
    text.pop_back();
  }
  return text;
}

std::string to_json(const WorkedExample& example) {
  auto steps = Json::array();
  const auto verdicts = example.verdicts();
  for (std::size_t i = 0; i < example.steps.size(); ++i) {
    const auto& step = example.steps[i];
    Json object = {{"name", step.name}, {"meaning", step.meaning}, {"value", tensor_json(step.value)}};
    if (step.claimed) {
      object["claimed"] = tensor_json(*step.claimed);
      object["largest_difference"] = *step.largest_difference();
    }
    if (step.has_blanks) {
      object["has_blanks"] = true;
    }
    if (verdicts[i] == ClaimVerdict::kEquivalent) {
      object["equivalent"] = step.equivalent->meaning;
    }
    steps.push_back(std::move(object));
  }
  const auto* departure = example.first_departure();
  return json_line({{"title", example.title},
                    {"kind", example.kind},
                    {"steps", std::move(steps)},
                    {"departs", departure == nullptr ? Json(nullptr) : Json(departure->name)}});
}

}  // namespace translate::tools
