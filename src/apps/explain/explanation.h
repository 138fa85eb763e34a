#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/infer/translation_output.h"
#include "decoding/operators/observed_pass.h"
#include "decoding/translation.h"

namespace translate {

/// One part of a line, looked at from all sides.
struct Walk {
  ObservedPass pass;
  std::vector<WalkStep> steps;
  std::int64_t cross_layer = 0;  ///< the decoder layer whose cross attention the steps tell: the last, or the one asked
};

[[nodiscard]] Walk walk_through(const ObservedModel& model, const TranslatedPart& part, const ViewingOptions& options);

/// What happens between a line and its translation, for people who learn, in 80 columns: subwords and ids, the stages
/// of encoder and decoder with their shapes and first values (equal layers once), masks, then the decoding loop from
/// sos to eos and a closing table of every step's dimensions.
[[nodiscard]] std::string explanation_text(const ObservedModel& model, const Translation& translation,
                                           const ViewingOptions& options);

/// The same for programs, every layer, as a JSON object: `source`, `translation`, `parts` (one, or more
/// where the line was split), each with `source_subwords`, `target_subwords`, `layer` (whose `weights` stages have all
/// their `values`), `stages` (`name`, `shape`, `values`: the first six) and `steps`.
[[nodiscard]] nlohmann::ordered_json explanation_json(const ObservedModel& model, const Translation& translation,
                                                      const ViewingOptions& options);

}  // namespace translate
