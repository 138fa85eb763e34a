#include "translate/core/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace translate {

std::string format_duration(double seconds) {
  constexpr double kLongest = 1e12;  // keeps the conversion below defined for infinity
  const double span = seconds > 0 ? std::min(seconds, kLongest) : 0;
  const auto whole = static_cast<std::int64_t>(std::llround(span));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  const std::int64_t minutes = std::llround(span / 60);
  if (minutes < 100 * 60) return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  const std::int64_t hours = std::llround(span / 3600);
  return fmt::format("{} d {:02} h", hours / 24, hours % 24);
}

}  // namespace translate
