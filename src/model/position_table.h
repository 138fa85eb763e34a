#pragma once

#include <cstdint>
#include <vector>

#include "config/options.h"

namespace translate {

/// The sinusoidal table (paper, section 3.5), (length, d_model), row by row:
/// pe[pos, 2i] = sin(pos * 10000^(-2i/d_model)), pe[pos, 2i+1] = cos(the same). Angles are rounded to single precision,
/// as the reference has them.
[[nodiscard]] std::vector<float> sinusoidal_table(std::int64_t length, std::int64_t d_model);

/// How many positions a table of `size` positions is to have for a sequence of `length`: as many as it has where they
/// suffice, else twice as many or more (a sinusoidal one is then computed anew). Throws RuntimeError where a learned
/// one is too short: it ends.
[[nodiscard]] std::int64_t positions_to_hold(std::int64_t length, std::int64_t size, PositionKind kind);

}  // namespace translate
