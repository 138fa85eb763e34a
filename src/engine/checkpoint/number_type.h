#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace translate {

/// The types of the numbers in files of arrays.
enum class NumberType : std::uint8_t {
  kFloat64,
  kFloat32,
  kFloat16,
  kBfloat16,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUint8,
  kBool,
};

/// PyTorch's name of a type ("float32"), for messages.
[[nodiscard]] std::string_view name_of(NumberType type);

/// The size of one number in bytes.
[[nodiscard]] std::size_t bytes_of(NumberType type);

[[nodiscard]] bool is_floating(NumberType type);

/// A number of the type float16 (IEEE 754: 5 bits of exponent, 10 of fraction), by its bits.
struct Float16 {
  std::uint16_t bits = 0;

  /// The exact value.
  operator float() const {
    constexpr std::uint32_t kMagnitude = 0x7FFF;
    constexpr std::uint32_t kInfinity = 0x7C00;
    constexpr std::uint32_t kFloatInfinity = 0x7F800000;
    const std::uint32_t sign = (bits & ~kMagnitude) << 16U;
    // In the places of a float32, which has 13 more bits of fraction and another bias of the exponent, the bits stand
    // for 2^-112 of the value, subnormal numbers included.
    const std::uint32_t moved = (bits & kMagnitude) << 13U;
    const bool is_finite = (bits & kMagnitude) < kInfinity;
    const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(moved) * 0x1p112F);
    return std::bit_cast<float>(sign | (is_finite ? finite : moved | kFloatInfinity));
  }
};

/// A number of the type bfloat16, the upper half of a float32, by its bits.
struct Bfloat16 {
  std::uint16_t bits = 0;

  /// The exact value.
  operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U); }
};

}  // namespace translate
