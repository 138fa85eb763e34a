#pragma once

#include <string_view>
#include <vector>

namespace translate {

/// The words of UTF-8 `text`: what lies between runs of white space (see is_unicode_space), in order, never empty.
/// The views point into `text`.
[[nodiscard]] std::vector<std::string_view> split_at_spaces(std::string_view text);

/// UTF-8 `text` without the white space at its end; a view into `text`.
[[nodiscard]] std::string_view trim_trailing_spaces(std::string_view text);

}  // namespace translate
