#pragma once

#include <string>
#include <vector>

#include "config/options.h"
#include "text/tokenizer.h"

namespace translate {

/// A pair of languages that a model translates between.
struct Direction {
  std::string source;  ///< the code of the source language, "en"
  std::string target;  ///< the code of the target language, "fr"
  std::string tag;     ///< what a source begins with for this target, ">>fr<<"; empty if the model has one target only

  bool operator==(const Direction&) const = default;
};

/// Returns the directions of a model, given its configuration and its source tokenizer; at least one. A model whose
/// vocabulary has language tags translates from its source language (see language_codes) to the language of each tag;
/// any other has the one direction of language_codes.
[[nodiscard]] std::vector<Direction> directions(const Config& config, const Tokenizer& source);

}  // namespace translate
