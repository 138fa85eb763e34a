#pragma once

#include <c10/core/Device.h>

#include <string>

#include "translate/config/options.h"
#include "translate/inference/linear_weights.h"

namespace translate {

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
