#pragma once

#include <cstdint>

namespace translate {

/// Rounding of rows for products of whole numbers.

/// The largest absolute value of `count`, 0 of none.
[[nodiscard]] float largest_magnitude(const float* values, std::int64_t count);

/// out = values * factor, rounded to the nearest whole number, which must fit 16 bits.
void round_row(const float* values, std::int64_t count, float factor, std::int16_t* out);

}  // namespace translate
