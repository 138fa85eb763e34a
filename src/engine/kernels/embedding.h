#pragma once

#include <cstdint>

namespace translate {

/// The embedding of a subword as a row of activations, on one thread, forward and backward: its entry of a table times
/// a factor, plus a position's vector.

/// to = factor * entry + position. `position`: null for none.
void embed_row(const float* entry, float factor, const float* position, std::int64_t width, float* to);

/// Adds the gradient of the entry, from that of the row.
void embed_row_backward(const float* gradient, float factor, std::int64_t width, float* entry_gradient);

}  // namespace translate
