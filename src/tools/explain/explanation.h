#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "decoding/translation.h"
#include "infer/translation_output.h"
#include "operators/observed_pass.h"

namespace translate::tools {

/// The observed translation of one part of a line.
struct Walk {
  trainer::ObservedPass pass;
  std::vector<trainer::WalkStep> steps;
  std::int64_t cross_layer = 0;  ///< decoder layer of the steps' cross attention: the chosen one, or the last
};

[[nodiscard]] Walk walk_through(const trainer::ObservedModel& model, const TranslatedPart& part,
                                const ViewingOptions& options);

/// Explains for learners, in 80 columns, how a line is translated: subwords and ids, the stages of encoder and decoder
/// with their shapes and first values (equal layers once), masks, then the decoding loop from sos to eos and a closing
/// table with the dimensions of every step.
[[nodiscard]] std::string explanation_text(const trainer::ObservedModel& model, const Translation& translation,
                                           const ViewingOptions& options);

/// Returns the same for programs, with every layer, as a JSON object: `source`, `translation`, `parts` (one, or more if
/// the line was split), each with `source_subwords`, `target_subwords`, `layer` (its `weights` stages have all their
/// `values`), `stages` (`name`, `shape`, `values`: the first six) and `steps`.
[[nodiscard]] nlohmann::ordered_json explanation_json(const trainer::ObservedModel& model,
                                                      const Translation& translation, const ViewingOptions& options);

}  // namespace translate::tools
