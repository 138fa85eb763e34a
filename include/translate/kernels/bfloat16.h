#pragma once

#include <cstdint>

#include "translate/kernels/factor_type.h"
#include "translate/kernels/float_buffer.h"
#include "translate/kernels/matrix_rows.h"

namespace translate {

/// Rounding to bf16, to nearest and ties to even, as the processor does it: what is denormal becomes zero. Only where
/// has_bf16_kernels() holds.

/// A row of `count` values as terms_of(count) terms.
void round_to_terms(const float* from, std::int64_t count, float* terms);

/// Two rows of `panels` times 16 values, `upper` the deeper one, as one row of terms of a right factor's panels, which
/// lie `to_next` apart. Of one that is null the half of the terms stays as it is.
void round_to_panels(const float* lower, const float* upper, std::int64_t panels, float* terms, std::int64_t to_next);

/// The left factor of a product: `count` rows of `width` values as terms of `type`, for which `scratch` gives room.
[[nodiscard]] ConstRows left_terms(FactorType type, const ConstRows& rows, std::int64_t count, std::int64_t width,
                                   FloatBuffer& scratch);

}  // namespace translate
