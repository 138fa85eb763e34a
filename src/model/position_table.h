#pragma once

#include <cstdint>
#include <vector>

#include "config/options.h"

namespace translate {

/// The sinusoidal table (paper, section 3.5), (length, d_model), row by row:
/// pe[pos, 2i] = sin(pos * 10000^(-2i/d_model)), pe[pos, 2i+1] = cos(the same). Angles are rounded to single precision,
/// as the reference has them.
[[nodiscard]] std::vector<float> sinusoidal_table(std::int64_t length, std::int64_t d_model);

/// Returns how many positions a table of `size` positions must have for a sequence of `length`: `size` if that is
/// enough, else at least twice as many (a sinusoidal table is then computed again). Throws RuntimeError if a learned
/// table is too short, because it cannot grow.
[[nodiscard]] std::int64_t positions_to_hold(std::int64_t length, std::int64_t size, PositionKind kind);

}  // namespace translate
