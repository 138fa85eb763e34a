#include "translate/core/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace translate {

namespace {

/// Not negative, and small enough to be converted where it is infinite.
double clamped(double seconds) {
  constexpr double kLongest = 1e12;
  return seconds > 0 ? std::min(seconds, kLongest) : 0;
}

}  // namespace

std::string format_duration(double seconds) {
  const double span = clamped(seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(span));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  const std::int64_t minutes = std::llround(span / 60);
  if (minutes < 100 * 60) return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
  const std::int64_t hours = std::llround(span / 3600);
  return fmt::format("{} d {:02} h", hours / 24, hours % 24);
}

std::string format_clock(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(clamped(seconds)));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  if (whole < 100 * 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  return fmt::format("{}d{:02}h", whole / 86400, whole / 3600 % 24);
}

}  // namespace translate
