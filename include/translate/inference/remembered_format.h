#pragma once

#include <filesystem>
#include <functional>

#include "translate/config/options.h"
#include "translate/inference/linear_weights.h"

namespace translate {

/// The file in a cache folder that keeps which format was found to be fastest: one JSON object, from "processor,
/// instructions, d_model N, version" to fp32, int8 or bf16. Whoever deletes it has it measured anew.
inline constexpr const char* kFormatsFile = "precision.json";

/// The format that fastest_format found for such a model on this processor, measured once and remembered in `folder`:
/// the same command gives the same translations ever after. Single precision where `folder` is empty or cannot be
/// written: a choice that nobody remembers might be another one next time.
/// `measure` gives the format that is to be remembered (fastest_format, but in tests).
[[nodiscard]] WeightFormat remembered_format(const std::filesystem::path& folder, const ModelOptions& options,
                                             const std::function<WeightFormat(const ModelOptions&)>& measure);

}  // namespace translate
