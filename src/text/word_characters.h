#pragma once

namespace translate {

/// True for what `\w` matches in Unicode's regular expressions (UTS #18, annex C): alphabetic characters, marks,
/// decimal digits, connectors such as the underscore, and the two joiners; of Unicode 16.
[[nodiscard]] bool is_word_character(char32_t character);

/// True for what `\s` matches: Unicode's property White_Space. Other than is_unicode_space, which follows Python, it
/// leaves out the separators U+001C to U+001F.
[[nodiscard]] bool is_white_space(char32_t character);

}  // namespace translate
