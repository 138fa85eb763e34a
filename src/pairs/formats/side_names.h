#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "languages/language_names.h"

namespace translate {

/// Returns the code of the language that a text names: a code of one language ("de", "pt-BR"), or an English name
/// ("German"); nothing if it names none.
[[nodiscard]] std::optional<std::string> named_language(std::string_view text);

/// The two among several names that say what is source and what is target.
struct NamedPair {
  std::size_t source = 0;
  std::size_t target = 1;
  LanguageCodes languages = {};  ///< empty where the names are not those of languages
};

/// Finds the sides by the names of columns, keys or files: "source" and "target" (or "src" and "tgt", "trg"), or two
/// languages. `wanted` chooses among languages; an empty one is the first that is not the other side. Returns nothing
/// if the names do not tell, or lack what is wanted.
[[nodiscard]] std::optional<NamedPair> sides_by_names(std::span<const std::string> names, const LanguageCodes& wanted);

}  // namespace translate
