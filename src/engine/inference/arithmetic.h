#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/options.h"
#include "core/compute_device.h"
#include "inference/linear_weights.h"

namespace translate {

/// Returns the weight format that --precision auto stands for on the CPU: int8 for models of at least 64 dimensions
/// where products of bytes are much faster than those of single precision (with AVX-512 VNNI, and with AVX2 alone),
/// otherwise single precision. A rule rather than a measurement, so that equal processors give equal translations.
/// `instructions`: as kernel_instructions() names them.
[[nodiscard]] WeightFormat automatic_format(std::string_view instructions, std::int64_t d_model);

/// Compute precision and weight format of a model that translates.
struct Arithmetic {
  // NOLINTNEXTLINE(google-explicit-constructor): a precision alone is one
  Arithmetic(Precision of_products)
      : Arithmetic(of_products, of_products == Precision::kBf16 ? WeightFormat::kBfloat16 : WeightFormat::kFloat) {}
  Arithmetic(Precision of_products, WeightFormat of_weights) : precision(of_products), weights(of_weights) {}

  Precision precision;   ///< not auto
  WeightFormat weights;  ///< the format in which a PackedModel keeps its weights
};

/// The values of --precision in a program that translates.
inline constexpr std::array<const char*, 4> kTranslationPrecisions = {"auto", "fp32", "bf16", "int8"};

/// Resolves --precision of a program that translates, which may be int8 in addition to the values of Precision. If
/// models can be packed, `auto` follows automatic_format; otherwise it is resolved by resolve_precision. Throws
/// ConfigError if int8 is not available.
[[nodiscard]] Arithmetic arithmetic_of(const std::string& name, DeviceKind device, const ModelOptions& options);

/// Whether a PackedModel supports this arithmetic: on the CPU, if the processor has the instructions that its kernels
/// need.
[[nodiscard]] bool packs(DeviceKind device, const Arithmetic& arithmetic);

}  // namespace translate
