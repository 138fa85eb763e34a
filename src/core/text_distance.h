#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// The fewest insertions, deletions and replacements of bytes, and swaps of two neighbouring ones, that turn one text
/// into the other (optimal string alignment).
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

/// The candidate that `name` was probably meant to be ("did you mean"), or nothing where none is near: at most a third
/// of its length (but at least 1) away, letter case and the choice between `-` and `_` not counted. The first of
/// equals.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      const std::vector<std::string>& candidates);

}  // namespace translate
