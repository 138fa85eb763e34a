#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// Columns that a text takes on a terminal: two for East Asian wide characters and emoji, none for combining marks.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// The longest beginning of the text that fits in `width` columns.
[[nodiscard]] std::string cut_to_width(std::string_view text, std::size_t width);

/// Pads the text with spaces to `width` columns, on the right or on the left; a longer text is cut and ends in "…".
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t width);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t width);

/// Wraps a text into lines of at most `width` columns; control characters and spaces separate words. A longer word gets
/// its own line. Returns no line for a text without words.
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace translate
