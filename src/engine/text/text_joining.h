#pragma once

#include <string_view>

namespace translate {

/// True for the characters that end a line, of Unicode's and Python's str.splitlines: line feed, vertical tab, form
/// feed, carriage return, U+001C to U+001E, U+0085, U+2028, U+2029.
[[nodiscard]] bool is_line_end(char32_t character);

/// Returns what the writing of two texts (valid UTF-8) puts between them where one follows the other in a line: nothing
/// in Chinese and Japanese, otherwise a space. The characters on both sides decide, not the name of a language; marks
/// as wide as an ideograph, such as 。 or 「, need no space beside them except in Korean.
[[nodiscard]] std::string_view space_between(std::string_view before, std::string_view after);

}  // namespace translate
