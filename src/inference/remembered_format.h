#pragma once

#include <filesystem>
#include <functional>

#include "config/options.h"
#include "inference/linear_weights.h"

namespace translate {

/// The file in a cache folder that records the fastest format: one JSON object, from "processor, instructions, d_model
/// N, version" to fp32, int8 or bf16. If it is deleted, the format is measured again.
inline constexpr const char* kFormatsFile = "precision.json";

/// Returns the format that fastest_format found for such a model on this processor. It is measured once and remembered
/// in `folder`, so that the same command always gives the same translations. Returns single precision if `folder` is
/// empty or cannot be written: a choice that is not remembered might differ the next time.
/// `measure` returns the format to remember (fastest_format, except in tests).
[[nodiscard]] WeightFormat remembered_format(const std::filesystem::path& folder, const ModelOptions& options,
                                             const std::function<WeightFormat(const ModelOptions&)>& measure);

}  // namespace translate
