#pragma once

#include <string>
#include <vector>

#include "languages/directions.h"
#include "languages/language_names.h"

namespace translate::tools {

/// A model as a user names it: `[SOURCE:TARGET=]NAME`.
struct NamedModel {
  std::string name;
  LanguageCodes languages = {};  ///< that the user gives the model; empty: those of the model
};

/// Reads `runs/fr-de/best`, `fr:de=runs/fr-de/best`, `fr:=...` or `:de=...`. What stands before the first `=` is a part
/// of the name unless it is two codes (letters, digits, `-`, `_`) and a colon, so a path that looks like this can be
/// written as `./fr:de=x`. Throws ConfigError if the name is empty.
[[nodiscard]] NamedModel read_named_model(const std::string& text);

/// Returns the directions of a model under the languages that the user gives (see directions_between). Throws
/// ConfigError, which names the directions and `model`, if the model does not have these languages.
[[nodiscard]] std::vector<Direction> named_directions(const std::vector<Direction>& directions, const NamedSides& named,
                                                      const LanguageCodes& given, const std::string& model);

}  // namespace translate::tools
