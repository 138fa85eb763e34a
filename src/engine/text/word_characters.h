#pragma once

namespace translate {

/// True for characters that `\w` matches in Unicode's regular expressions (UTS #18, annex C): alphabetic characters,
/// marks, decimal digits, connectors such as the underscore, and the two joiners; of Unicode 16.
[[nodiscard]] bool is_word_character(char32_t character);

/// True for characters that `\s` matches: Unicode's property White_Space. Unlike is_unicode_space, which follows
/// Python, it excludes the separators U+001C to U+001F.
[[nodiscard]] bool is_white_space(char32_t character);

}  // namespace translate
