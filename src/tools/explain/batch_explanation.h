#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "decoding/translation.h"
#include "infer/translation_output.h"
#include "operators/observed_pass.h"

namespace translate::tools {

/// Explains for learners, in 80 columns, one pass over several sentences of different lengths and their translations as
/// a padded batch: ids with their padding, padding masks, the stages with their shapes and first values (equal layers
/// once). A line that was split adds each of its parts as a sentence; blank lines add nothing.
[[nodiscard]] std::string batch_text(const trainer::ObservedModel& model, std::span<const Translation> translations,
                                     const ViewingOptions& options);

/// Returns the same for programs as a JSON object: `sentences` (`source`, `translation`), `source_ids` (B, S) and
/// `target_ids` (B, T), and `stages` with `name`, `shape` and `values`, the first six, or all of a mask.
[[nodiscard]] nlohmann::ordered_json batch_json(const trainer::ObservedModel& model,
                                                std::span<const Translation> translations);

}  // namespace translate::tools
