#include "inference/arithmetic.h"

#include <fmt/format.h>

#include "config/enum_names.h"
#include "core/error.h"
#include "core/processor.h"
#include "model/memory_need.h"

namespace translate {

WeightFormat automatic_format(std::string_view instructions, std::int64_t d_model) {
  constexpr std::int64_t kNarrowest = 64;  // below, rounding the activations takes much of the time that it saves
  const bool has_fast_bytes = instructions == "avx2" || instructions.ends_with("vnni");
  return has_fast_bytes && d_model >= kNarrowest ? WeightFormat::kInt8 : WeightFormat::kFloat;
}

namespace {

bool can_pack(DeviceKind device) { return device == DeviceKind::kCpu && has_vector_kernels(); }

}  // namespace

Arithmetic arithmetic_of(const std::string& name, DeviceKind device, const ModelOptions& options) {
  if (name == "int8") {
    if (!can_pack(device)) {
      throw ConfigError(
          fmt::format("--precision int8 needs {}; use auto, fp32 or bf16",
                      device == DeviceKind::kCpu ? "a processor with AVX2, FMA and F16C" : "the CPU: --device cpu"));
    }
    return {Precision::kFp32, WeightFormat::kInt8};
  }
  if (name == "auto" && can_pack(device)) {
    return {Precision::kFp32, automatic_format(kernel_instructions(), options.d_model)};
  }
  return resolve_precision(from_string<Precision>(name).value_or(Precision::kAuto), device);
}

bool packs(DeviceKind device, const Arithmetic& arithmetic) {
  return can_pack(device) && (arithmetic.precision == Precision::kFp32 || has_bf16_kernels());
}

}  // namespace translate
