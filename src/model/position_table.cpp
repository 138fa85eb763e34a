#include "model/position_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace translate {

std::vector<float> sinusoidal_table(std::int64_t length, std::int64_t d_model) {
  std::vector<float> rates;  // one per pair of columns
  const auto exponent = static_cast<float>(-std::log(10000.0) / static_cast<double>(d_model));
  for (std::int64_t column = 0; column < d_model; column += 2) {
    rates.push_back(std::exp(static_cast<float>(column) * exponent));
  }
  std::vector<float> table;
  table.reserve(static_cast<std::size_t>(length * d_model));
  for (std::int64_t position = 0; position < length; ++position) {
    for (const auto rate : rates) {
      const float angle = static_cast<float>(position) * rate;
      table.push_back(std::sin(angle));
      table.push_back(std::cos(angle));
    }
  }
  return table;
}

std::int64_t positions_to_hold(std::int64_t length, std::int64_t size, PositionKind kind) {
  if (length <= size) {
    return size;
  }
  if (kind == PositionKind::kLearned) {
    throw RuntimeError(
        fmt::format("a sequence of {} positions is longer than the model's table of learned positions "
                    "(model.max_positions = {})",
                    length, size));
  }
  return std::max(length, 2 * size);
}

}  // namespace translate
