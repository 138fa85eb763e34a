#include "explain/example_step.h"

#include <ATen/ATen.h>

namespace translate::tools {

namespace {

/// Stands for -inf in differences, which it keeps finite.
constexpr double kMasked = -1e4;

/// Returns how far each number is from its claim; 0 where nothing is claimed.
at::Tensor differences(const at::Tensor& value, const at::Tensor& claimed, Comparison comparison) {
  // Masked scores are -inf here and often -1e9 elsewhere, with the same meaning.
  const auto numbers = value.to(at::kDouble);
  const auto claims = claimed.to(at::kDouble);
  const auto is_masked = numbers.isneginf();
  auto difference = (at::where(is_masked, kMasked, numbers) -
                     at::where(is_masked.logical_or(claims.isneginf()), claims.clamp_min(kMasked), claims))
                        .abs();
  if (comparison == Comparison::kRelative) {
    const auto is_zero = numbers.eq(0.0);  // any other number differs by the whole
    difference = at::where(is_zero, difference.ne(0.0).to(at::kDouble), difference / numbers.abs());
  }
  return difference.masked_fill(claimed.isnan(), 0.0);
}

}  // namespace

std::optional<double> ExampleStep::largest_difference() const {
  if (!claimed) {
    return std::nullopt;
  }
  return differences(value, *claimed, comparison).max().item<double>();
}

std::optional<double> ExampleStep::difference_from_equivalent() const {
  if (!claimed || !equivalent) {
    return std::nullopt;
  }
  return differences(equivalent->value, *claimed, comparison).max().item<double>();
}

ExampleStep::Contrast ExampleStep::largest_contrast() const {
  const auto place = differences(value, *claimed, comparison).argmax().item<std::int64_t>();
  return {.value = value.reshape(-1)[place].item<double>(), .claimed = claimed->reshape(-1)[place].item<double>()};
}

}  // namespace translate::tools
