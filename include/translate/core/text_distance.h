#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// Levenshtein distance in bytes: the fewest insertions, deletions and replacements that turn one into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

/// The candidate that `name` was probably meant to be ("did you mean"), or nothing where none is near: at most a third
/// of its length (but at least 1) away, letter case and the choice between `-` and `_` not counted, two neighbouring
/// letters in the wrong order counted as one mistake. The first of equals.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      const std::vector<std::string>& candidates);

}  // namespace translate
