#include "kernels/row_kernels.h"

#include "kernels/exponential.h"

namespace translate {

TRANSLATE_VECTOR_CLONES
void add_row(const float* from, float* to, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] += from[i];
  }
}

TRANSLATE_VECTOR_CLONES
void add_column_sums(const ConstRows& x, std::int64_t rows, std::int64_t columns, float* sums) {
  // Four rows at a time: the sums are read and written once for them.
  const auto [values, stride] = x;
  std::int64_t row = 0;
  for (; row + 4 <= rows; row += 4) {
    const float* first = values + row * stride;
    const float* second = first + stride;
    const float* third = second + stride;
    const float* fourth = third + stride;
#pragma omp simd
    for (std::int64_t i = 0; i < columns; ++i) {
      sums[i] = sums[i] + first[i] + second[i] + third[i] + fourth[i];
    }
  }
  for (; row < rows; ++row) {
    add_row(values + row * stride, sums, columns);
  }
}

}  // namespace translate
