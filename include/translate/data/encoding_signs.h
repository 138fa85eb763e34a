#pragma once

#include <string_view>

namespace translate {

/// Whether a text holds what nobody writes: control characters (C0 but for tab, DEL, C1), U+FFFD, which stands for a
/// character that was lost, or code points that are none (U+FFFE, U+FFFF).
[[nodiscard]] bool has_control_characters(std::string_view text);

/// Whether a text looks as if its UTF-8 had been read as Windows-1252 or Latin-1 and written as UTF-8 again, such as
/// "cafÃ©" or "itâ€™s": characters which, taken for the bytes that they have there, are UTF-8. One that begins with Â,
/// Ã or â is enough, since they hardly ever come before such another character, and so is one of four bytes; of others
/// two in a row are needed, for "É»" is a good end of a quotation.
[[nodiscard]] bool looks_read_as_latin(std::string_view text);

}  // namespace translate
