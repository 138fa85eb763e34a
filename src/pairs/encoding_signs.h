#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace translate {

/// True if a text holds characters that nobody writes: control characters (C0 except tab, DEL, C1), U+FFFD, which
/// stands for a lost character, or the noncharacters U+FFFE and U+FFFF.
[[nodiscard]] bool has_control_characters(std::string_view text);

/// True if a text looks as if its UTF-8 had been read as Windows-1252 or Latin-1 and written as UTF-8 again, such as
/// "cafÃ©" or "itâ€™s": characters whose bytes in that encoding form UTF-8. One such sequence is enough if it begins
/// with Â, Ã or â, which hardly ever precede such a character, or has four bytes; otherwise two in a row are needed,
/// because "É»" is a valid end of a quotation.
[[nodiscard]] bool looks_read_as_latin(std::string_view text);

/// Returns a text with each such sequence as the character that it was. Nothing if it then still looks so, or has
/// control characters, because something else has happened to it.
[[nodiscard]] std::optional<std::string> read_as_utf8(std::string_view text);

}  // namespace translate
