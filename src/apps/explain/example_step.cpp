#include "apps/explain/example_step.h"

#include <ATen/ATen.h>

#include <limits>

namespace translate {

namespace {

/// Makes masked scores equal: they are -inf here and often -1e9 elsewhere, with the same meaning.
at::Tensor comparable(const at::Tensor& value) { return value.to(at::kDouble).clamp_min(-1e4); }

/// Returns how far each number is from its claim; 0 where nothing is claimed.
at::Tensor differences(const at::Tensor& value, const at::Tensor& claimed, Comparison comparison) {
  auto difference = (comparable(value) - comparable(claimed)).abs();
  if (comparison == Comparison::kRelative) {
    difference = difference / comparable(value).abs().clamp_min(std::numeric_limits<double>::min());
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

}  // namespace translate
