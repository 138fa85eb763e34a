#pragma once

#include <c10/core/Device.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "inference/linear_weights.h"

namespace translate {

/// The time that a matrix product took in one format.
struct FormatTime {
  WeightFormat format;
  double seconds;
};

/// Returns the times of all formats that this machine supports for a matrix of such a model, the most exact format
/// first. They are measured in turn for some milliseconds. Requires has_vector_kernels().
[[nodiscard]] std::vector<FormatTime> time_formats(const ModelOptions& options);

/// Returns the fastest of `times` (at least one, the most exact first). A less exact format must be 1.1 times as fast
/// as a more exact one, and one with bytes on both sides 1.5 times.
[[nodiscard]] WeightFormat worthwhile_format(std::span<const FormatTime> times);

/// Returns the format in which this machine multiplies the matrices of such a model fastest, by worthwhile_format.
[[nodiscard]] WeightFormat fastest_format(const ModelOptions& options);

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
/// models can be packed, `auto` is the fastest of fp32, bf16 and int8 for such a model on this machine, measured once
/// for each user (see fastest_format, remembered_format); otherwise it is resolved by resolve_precision. Throws
/// ConfigError if int8 is not available, or if a model of these sizes cannot fit in memory.
[[nodiscard]] Arithmetic arithmetic_of(const std::string& name, const c10::Device& device, const ModelOptions& options);

/// Whether a PackedModel supports this arithmetic: on the CPU, if the processor has the instructions that its kernels
/// need.
[[nodiscard]] bool packs(const c10::Device& device, const Arithmetic& arithmetic);

}  // namespace translate
