#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// The tokens of one line by the international tokenization of WMT's mteval-v14 script in sacreBLEU's definition
/// ("intl"): punctuation (Unicode category P) is a token unless numbers (N) stand on both sides, or a number before it
/// and nothing behind; every symbol (S) is a token; Unicode white space separates tokens. Nothing is unescaped, case is
/// kept. `line` is UTF-8, ill-formed parts become U+FFFD.
[[nodiscard]] std::vector<std::string> tokenize_intl(std::string_view line);

}  // namespace translate
