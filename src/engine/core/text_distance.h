#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// The edit distance of two texts: the minimum number of insertions, deletions and replacements of bytes, and swaps of
/// adjacent bytes (optimal string alignment).
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

/// The candidate that `name` was probably meant to be ("did you mean"), or nothing if none is near: within a third of
/// its length (but at least 1), ignoring letter case and the difference between `-` and `_`. The first of several at
/// the same distance.
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      const std::vector<std::string>& candidates);

}  // namespace translate
