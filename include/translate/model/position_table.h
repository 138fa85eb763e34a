#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "translate/config/options.h"

namespace translate {

/// Makes a table of position vectors, (positions, d_model), reach `length` positions: a sinusoidal one is computed anew
/// for twice as many or more, of the same type and on the same device.
/// Throws RuntimeError where a learned one is too short: it ends.
void reach_positions(at::Tensor& table, std::int64_t length, PositionKind kind);

}  // namespace translate
