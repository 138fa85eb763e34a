#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"
#include "decoding/translation.h"
#include "text/tokenizer.h"

namespace translate {

/// A pair of languages that a model translates between.
struct Direction {
  std::string source;  ///< the code of the source language, "en"
  std::string target;  ///< the code of the target language, "fr"
  std::string tag;     ///< what a source begins with for this target, ">>fr<<"; empty if the model needs none

  bool operator==(const Direction&) const = default;
};

/// Returns the directions of a model, given its configuration and its source tokenizer; at least one. A model whose
/// training corpora name their languages has the directions of these corpora. Any other model whose vocabulary has
/// language tags translates from its source language (see language_codes) to the language of each tag, and one without
/// tags has the one direction of language_codes.
[[nodiscard]] std::vector<Direction> directions(const Config& config, const Tokenizer& source);

/// Returns the direction to a target language, by its code (see find_language_code), from `source` if that is given;
/// nothing if there is none.
[[nodiscard]] std::optional<Direction> find_direction(std::span<const Direction> directions, std::string_view target,
                                                      std::string_view source = {});

/// Returns the target languages with their names, each once: "de (German), fr (French)".
[[nodiscard]] std::string describe_targets(std::span<const Direction> directions);

/// Sets the target language of a translator's lines. `wanted` is its code, in the words of `option`
/// ("--target-language") if it is wrong; if it is empty, the model's only target is chosen, and of several none, so
/// that lines need a tag of their own and the translator warns of one without. Throws ConfigError if the model has no
/// such target.
void choose_target(std::span<const Direction> directions, const std::string& wanted, const std::string& option,
                   TranslatorOptions& options);

}  // namespace translate
