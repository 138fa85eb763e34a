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

/// A factor of a product with arbitrary strides in both directions.
struct Strided {
  const float* data;
  std::int64_t row;    ///< left factor: to the next row of the product; right factor: to the next panel
  std::int64_t depth;  ///< to the next term of the sums
};

/// The type to which the factors of a matrix product are rounded; sums are always in single precision.
enum class FactorType : std::uint8_t {
  kFloat,     ///< single precision
  kBfloat16,  ///< bf16
};

/// Returns how many terms `depth` values take. Kernels read factors in terms of 32 bits: one value in single precision,
/// or two neighbours in depth in bf16 (if the depth is odd, the last value has a zero beside it). Either is stored in
/// the place of a float; only the bits of a bf16 term are ever used.
[[nodiscard]] constexpr std::int64_t terms_of(std::int64_t depth, FactorType type) {
  return type == FactorType::kBfloat16 ? (depth + 1) / 2 : depth;
}

}  // namespace translate
