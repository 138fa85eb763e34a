#pragma once

#include <string>
#include <string_view>

namespace translate {

/// UTF-8 `text` in lower case, by Unicode's full mapping without a language's own rules, as Python's str.lower: one
/// character may become two (İ), a capital sigma at the end of a word becomes ς. Ill-formed parts become U+FFFD.
[[nodiscard]] std::string to_lower_case(std::string_view text);

/// True for the code points of Unicode's general category N (digits, letters and other signs used as numbers).
[[nodiscard]] bool is_unicode_number(char32_t code_point);

/// True for those of category P.
[[nodiscard]] bool is_unicode_punctuation(char32_t code_point);

/// True for those of category S (mathematics, currencies, modifiers, pictures).
[[nodiscard]] bool is_unicode_symbol(char32_t code_point);

}  // namespace translate
