#pragma once

#include <cstdint>

#include "kernels/matrix/matrix_rows.h"

namespace translate {

/// The recursion of the simpler simple recurrent unit (SSRU; Kim et al. 2019, "From Research to Production and Back:
/// Ludicrously Fast Neural Machine Translation"), on one thread, forward and backward. From a candidate u_t and a gate
/// f_t, both linear maps of the input, each element of the state c_t and of the unit's output h_t is
///
///     g_t = 1 / (1 + e^-f_t),    c_t = g_t c_(t-1) + (1 - g_t) u_t,    h_t = max(c_t, 0),    with c_(-1) = 0.
///
/// The maps are products of matrices over all positions at once, before this; only the recursion goes from position to
/// position. It runs along the positions of one sentence, and its loops along the `width` elements of the state.

/// Takes rows (length, 2 width) of candidates u with the gates f beside them, writes g in the place of f, and the
/// states c to `states` (length, width).
void recurrence_forward(std::int64_t length, std::int64_t width, const Rows& projected, float* states);

/// The same for one further position of a sentence: `state` (width) is c_(t-1) and becomes c_t. Equal to the last bit.
void recurrence_step(std::int64_t width, float* projected, float* state);

/// Writes h, from `states`: `count` elements.
void recurrence_output(const float* states, std::int64_t count, float* output);

/// The gradient of h, (length, width) -> those of u and f, (length, 2 width), overwritten. `projected` and `states`: as
/// recurrence_forward left them. `gradient` is overwritten.
void recurrence_backward(std::int64_t length, std::int64_t width, const ConstRows& projected, const float* states,
                         float* gradient, const Rows& projected_gradient);

}  // namespace translate
