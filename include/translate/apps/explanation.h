#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "translate/decoding/loaded_model.h"
#include "translate/decoding/observed_pass.h"
#include "translate/decoding/translator.h"

namespace translate {

/// What to explain at length.
struct ExplanationOptions {
  std::optional<std::int64_t> layer;  ///< shown in full, with the attention of each head (unset: the first, without)
};

/// Throws ConfigError where neither encoder nor decoder has the layer.
void check_layer(const ExplanationOptions& options, const ModelOptions& model);

/// One part of a line, looked at from all sides.
struct Walk {
  ObservedPass pass;
  std::vector<WalkStep> steps;
  std::int64_t cross_layer = 0;  ///< the decoder layer whose cross attention the steps tell: the last, or the one asked
};

[[nodiscard]] Walk walk_through(const LoadedModel& loaded, const TranslatedPart& part,
                                const ExplanationOptions& options, const PassOptions& where);

/// What happens between a line and its translation, for people who learn, in 80 columns: pieces and ids, the stages of
/// encoder and decoder with their shapes and first values (equal layers once), masks, then the decoding loop from sos
/// to eos and a closing table of every step's dimensions.
[[nodiscard]] std::string explanation_text(const LoadedModel& loaded, const Translation& translation,
                                           const ExplanationOptions& options, const PassOptions& where);

/// The same for programs, every layer, as a JSON object: `source`, `translation`, `parts` (one, or more
/// where the line was split), each with `source_pieces`, `target_pieces`, `layer` (whose `weights` stages have all
/// their `values`), `stages` (`name`, `shape`, `values`: the first six) and `steps`.
[[nodiscard]] nlohmann::ordered_json explanation_json(const LoadedModel& loaded, const Translation& translation,
                                                      const ExplanationOptions& options, const PassOptions& where);

}  // namespace translate
