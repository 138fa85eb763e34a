#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/options.h"
#include "languages/language_names.h"
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

/// Returns the direction to a target language, from `source` if that is given, both by their codes (see
/// find_language_code); nothing if there is none.
[[nodiscard]] std::optional<Direction> find_direction(std::span<const Direction> directions, std::string_view target,
                                                      std::string_view source = {});

/// Returns the directions between the languages that a user gives by codes (see find_language_code; empty: any), which
/// may be none. Among several sources or targets the given one is chosen. The only one gets the given code if that is
/// another code of its language, or if the model does not name its language: `named` tells that of its configuration,
/// language tags name targets, and a code of several languages ("mul", "roa") is no name.
[[nodiscard]] std::vector<Direction> directions_between(std::vector<Direction> directions, const NamedSides& named,
                                                        const LanguageCodes& given);

/// Returns the target languages, each once, in the order of the directions.
[[nodiscard]] std::vector<std::string> target_languages(std::span<const Direction> directions);

/// Returns the target languages with their names, each once: "de (German), fr (French)".
[[nodiscard]] std::string describe_targets(std::span<const Direction> directions);

}  // namespace translate
