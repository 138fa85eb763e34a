#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/options.h"
#include "inference/linear_weights.h"

namespace translate {

/// The values of --precision in a program that translates.
inline constexpr std::array<const char*, 4> kTranslationPrecisions = {"auto", "fp32", "bf16", "int8"};

/// Returns the weight format that --precision auto stands for on the CPU: int8 for models of at least 64 dimensions
/// where products of bytes are much faster than those of single precision (with AVX-512 VNNI, with AVX2 alone, and with
/// the dot products of ARM64), otherwise single precision. A rule rather than a measurement, so that equal processors
/// give equal translations. `instructions`: as kernel_instructions() names them.
[[nodiscard]] WeightFormat automatic_format(std::string_view instructions, std::int64_t d_model);

/// Returns the format in which the CPU keeps and multiplies the weights of a model of this precision, which is not
/// auto.
[[nodiscard]] WeightFormat format_of(Precision precision);

/// Returns the format for a value of --precision on the CPU. `exact`: auto is single precision, as in training,
/// instead of automatic_format. Throws ConfigError for another name.
[[nodiscard]] WeightFormat cpu_weight_format(const std::string& precision, bool exact, const ModelOptions& options);

}  // namespace translate
