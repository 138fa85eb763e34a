#pragma once

#include <string_view>

namespace translate {

/// Returns a word without the punctuation around it that is no part of a name: quotes, brackets, stops.
[[nodiscard]] std::u32string_view without_punctuation(std::u32string_view word);

/// True if a word, which has no white space and no punctuation around it, is the same in all languages: a URL, an
/// e-mail address, a path, a file's name, or a name in a program (snake_case, a::b, f(), --option, $variable,
/// `quoted`).
[[nodiscard]] bool is_technical_name(std::u32string_view word);

}  // namespace translate
