#include "inference/weight_format.h"

#include <fmt/format.h>

#include "config/enum_names.h"
#include "core/error.h"
#include "core/processor.h"

namespace translate {

WeightFormat automatic_format(std::string_view instructions, std::int64_t d_model) {
  constexpr std::int64_t kNarrowest = 64;  // below, rounding the activations takes much of the time that it saves
  const bool has_fast_bytes =
      instructions == "avx2" || instructions.ends_with("vnni") || instructions.starts_with("neon dot");
  return has_fast_bytes && d_model >= kNarrowest ? WeightFormat::kInt8 : WeightFormat::kFloat;
}

WeightFormat format_of(Precision precision) {
  return precision == Precision::kBf16 ? WeightFormat::kBfloat16 : WeightFormat::kFloat;
}

WeightFormat cpu_weight_format(const std::string& precision, bool exact, const ModelOptions& options) {
  if (precision == "int8") {
    return WeightFormat::kInt8;
  }
  const auto named = from_string<Precision>(precision);
  if (!named) {
    throw ConfigError(fmt::format("--precision {}: expected {}", precision, fmt::join(kTranslationPrecisions, ", ")));
  }
  const bool is_automatic = *named == Precision::kAuto && !exact;
  return is_automatic ? automatic_format(kernel_instructions(), options.d_model) : format_of(*named);
}

}  // namespace translate
