#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace translate {

/// Where the first byte stands that is not part of well-formed UTF-8 (Unicode, table 3-7: no overlong forms, no
/// surrogates, nothing above U+10FFFF), or nothing where all is well.
[[nodiscard]] std::optional<std::size_t> first_invalid_utf8(std::string_view text);

/// The text with each ill-formed part replaced by U+FFFD: one for each maximal part of a character (Unicode, section
/// 3.9), as Python's errors="replace" and browsers do.
[[nodiscard]] std::string replace_invalid_utf8(std::string_view text);

/// The code points of a text; ill-formed parts become U+FFFD as in replace_invalid_utf8.
[[nodiscard]] std::u32string decode_utf8(std::string_view text);

/// The UTF-8 form of code points; what is no code point (surrogates, above U+10FFFF) becomes U+FFFD.
[[nodiscard]] std::string encode_utf8(std::u32string_view code_points);

/// White space as Python's str.isspace and str.split see it (no-break and ideographic spaces included).
[[nodiscard]] bool is_unicode_space(char32_t code_point);

/// True where the text is empty or holds white space only.
[[nodiscard]] bool is_blank(std::string_view text);

}  // namespace translate
