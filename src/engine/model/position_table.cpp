#include "model/position_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "model/sinusoid_rates.h"

namespace translate {

std::vector<float> sinusoidal_table(std::int64_t length, const Sinusoids& sinusoids) {
  const auto rates = sinusoid_rates(sinusoids);
  const auto width = static_cast<std::size_t>(sinusoids.width);
  const bool by_turns = sinusoids.layout == SinusoidLayout::kInterleaved;
  std::vector<float> table(static_cast<std::size_t>(length) * width);
  for (std::int64_t position = 0; position < length; ++position) {
    float* row = table.data() + static_cast<std::size_t>(position) * width;
    for (std::size_t pair = 0; pair < rates.size(); ++pair) {
      const float angle = static_cast<float>(position) * rates[pair];
      row[by_turns ? 2 * pair : pair] = std::sin(angle);
      row[by_turns ? 2 * pair + 1 : rates.size() + pair] = std::cos(angle);
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
