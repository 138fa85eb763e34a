#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "config/options.h"
#include "inference/linear_weights.h"

namespace translate {

/// How long a format took for a product.
struct FormatTime {
  WeightFormat format;
  double seconds;
};

/// The times of each format that this machine has for a matrix of such a model, found by trying them in turn for some
/// milliseconds, the most exact one first. Only where has_vector_kernels() holds.
[[nodiscard]] std::vector<FormatTime> time_formats(const ModelOptions& options);

/// The fastest of `times`, at least one, the most exact first: one that is less exact than another must gain a tenth,
/// and bytes on both sides half as much again.
[[nodiscard]] WeightFormat worthwhile_format(std::span<const FormatTime> times);

/// The format in which this machine multiplies the matrices of such a model fastest, as worthwhile_format has it.
[[nodiscard]] WeightFormat fastest_format(const ModelOptions& options);

/// The file in a cache folder that keeps which format was found to be fastest: one JSON object, from "processor,
/// instructions, d_model N, version" to fp32, int8 or bf16. Whoever deletes it has it measured anew.
inline constexpr const char* kFormatsFile = "precision.json";

/// The format that fastest_format found for such a model on this processor, measured once and remembered in `folder`:
/// the same command gives the same translations ever after. Single precision where `folder` is empty or cannot be
/// written: a choice that nobody remembers might be another one next time.
/// `measure` gives the format that is to be remembered (fastest_format, but in tests).
[[nodiscard]] WeightFormat remembered_format(const std::filesystem::path& folder, const ModelOptions& options,
                                             const std::function<WeightFormat(const ModelOptions&)>& measure);

/// In which numbers a model computes when it translates.
struct Arithmetic {
  // NOLINTNEXTLINE(google-explicit-constructor): a precision alone is one
  Arithmetic(Precision of_products)
      : Arithmetic(of_products, of_products == Precision::kBf16 ? WeightFormat::kBfloat16 : WeightFormat::kFloat) {}
  Arithmetic(Precision of_products, WeightFormat of_weights) : precision(of_products), weights(of_weights) {}

  Precision precision;   ///< not auto
  WeightFormat weights;  ///< that a PackedModel keeps them in
};

/// What a --precision of a program that translates stands for, which may be int8 besides the values of Precision.
/// `auto` is, where models can be packed, the fastest of fp32, bf16 and int8 for such a model on this machine, measured
/// once for each user (see fastest_format, remembered_format); elsewhere as resolve_precision has it. Throws
/// ConfigError where int8 is not to be had.
[[nodiscard]] Arithmetic arithmetic_of(const std::string& name, const c10::Device& device, const ModelOptions& options);

/// Whether a PackedModel can compute so: on the CPU, where the processor has what its kernels need.
[[nodiscard]] bool packs(const c10::Device& device, const Arithmetic& arithmetic);

}  // namespace translate
