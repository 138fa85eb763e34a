#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// The tokens of one line by the tokenization of WMT's mteval-v13a script in sacreBLEU's definition ("13a"):
/// `<skipped>` and "-\n" are taken out, a newline is a space, `&quot; &amp; &lt; &gt;` stand for their characters, each
/// ASCII symbol but ' , - . is a token, a full stop or comma is one unless digits stand on both sides, a dash is one
/// after a digit. Unicode white space (see is_unicode_space) separates tokens. Case is kept. `line` is UTF-8; bytes
/// that are not pass through as they are.
[[nodiscard]] std::vector<std::string> tokenize_13a(std::string_view line);

}  // namespace translate
