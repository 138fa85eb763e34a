#pragma once

#include <cstdint>

namespace translate {

/// Rows of floats, `stride` apart.
struct ConstRows {
  const float* data;
  std::int64_t stride;
};
struct Rows {
  float* data;
  std::int64_t stride;
};

/// A factor of a product with any distance between neighbours both ways.
struct Strided {
  const float* data;
  std::int64_t row;    ///< left factor: to the next row of the product; right factor: to the next panel
  std::int64_t depth;  ///< to the next term of the sums
};

/// What the factors of a matrix product are rounded to; sums are in single precision always.
enum class FactorType : std::uint8_t {
  kFloat,     ///< single precision
  kBfloat16,  ///< bf16, only where has_bf16_kernels() holds
};

/// Kernels read factors in terms of 32 bits: one value in single precision, or two neighbours in depth in bf16 (of an
/// odd depth the last one has a zero beside it). Either is kept in the place of a float; of a bf16 term none but its
/// bits is ever used. How many terms `depth` values take:
[[nodiscard]] constexpr std::int64_t terms_of(std::int64_t depth, FactorType type) {
  return type == FactorType::kBfloat16 ? (depth + 1) / 2 : depth;
}

}  // namespace translate
