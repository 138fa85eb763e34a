#pragma once

#include <cstdint>

#include "kernels/matrix/matrix_rows.h"

namespace translate {

/// Sums of rows of activations, on one thread.

/// to += from.
void add_row(const float* from, float* to, std::int64_t count);

/// sums[j] += the sum over `rows` rows of x[., j].
void add_column_sums(const ConstRows& x, std::int64_t rows, std::int64_t columns, float* sums);

}  // namespace translate
