#pragma once

#include <string>
#include <vector>

#include "data/directions.h"

namespace translate {

/// Languages that a user gives a model; empty: those of the model.
struct GivenLanguages {
  std::string source;
  std::string target;
};

/// A model as a user names it: `[SOURCE:TARGET=]NAME`.
struct NamedModel {
  std::string name;
  GivenLanguages languages = {};
};

/// Reads `runs/fr-de/best`, `fr:de=runs/fr-de/best`, `fr:=...` or `:de=...`. What stands before the first `=` is a part
/// of the name unless it is two codes (letters, digits, `-`, `_`) and a colon, so a path that looks like this can be
/// written as `./fr:de=x`. Throws ConfigError if the name is empty.
[[nodiscard]] NamedModel read_named_model(const std::string& text);

/// Returns the directions of a model under the languages that the user gives: the only source or target gets another
/// code; among several, the given one is chosen. Throws ConfigError, which names the directions and `model`, if the
/// model has none of several.
[[nodiscard]] std::vector<Direction> named_directions(std::vector<Direction> directions, const GivenLanguages& given,
                                                      const std::string& model);

}  // namespace translate
