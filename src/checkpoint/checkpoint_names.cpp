#include "translate/checkpoint/checkpoint_names.h"

#include <charconv>
#include <system_error>

namespace translate {
namespace {

/// The number that stands behind `prefix`, and nothing else.
std::optional<std::int64_t> parse_number(std::string_view prefix, std::string_view name) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || name.front() == '-') return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::int64_t> parse_step_name(std::string_view name) { return parse_number(kStepPrefix, name); }

std::optional<AverageName> parse_average_name(std::string_view name) {
  if (name == "average") return AverageName{};
  if (name == "average-best") return AverageName{.of_best = true, .count = 0};
  const bool of_best = name.starts_with("average-best:");
  const auto count = parse_number(of_best ? "average-best:" : "average:", name);
  if (!count || *count == 0) return std::nullopt;
  return AverageName{.of_best = of_best, .count = *count};
}

}  // namespace translate
