#include "translate/decoding/arithmetic.h"

#include <fmt/format.h>

#include "translate/config/enum_names.h"
#include "translate/core/cache_folder.h"
#include "translate/core/error.h"
#include "translate/inference/fastest_format.h"
#include "translate/inference/remembered_format.h"
#include "translate/kernels/cpu_features.h"
#include "translate/model/precision.h"

namespace translate {
namespace {

bool can_pack(const c10::Device& device) { return device.is_cpu() && has_vector_kernels(); }

}  // namespace

Arithmetic arithmetic_of(const std::string& name, const c10::Device& device, const ModelOptions& options) {
  if (name == "int8") {
    if (!can_pack(device)) {
      throw ConfigError(fmt::format("--precision int8 needs {}; use auto, fp32 or bf16",
                                    device.is_cpu() ? "a processor with AVX2, FMA and F16C" : "the CPU: --device cpu"));
    }
    return {Precision::kFp32, WeightFormat::kInt8};
  }
  if (name == "auto" && can_pack(device)) {
    const auto format = remembered_format(user_cache_folder(), options, fastest_format);
    return {format == WeightFormat::kBfloat16 ? Precision::kBf16 : Precision::kFp32, format};
  }
  return resolve_precision(from_string<Precision>(name).value_or(Precision::kAuto), device);
}

bool packs(const c10::Device& device, const Arithmetic& arithmetic) {
  return can_pack(device) && (arithmetic.precision == Precision::kFp32 || has_bf16_kernels());
}

}  // namespace translate
