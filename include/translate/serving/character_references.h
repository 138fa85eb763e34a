#pragma once

#include <string>
#include <string_view>

namespace translate {

/// The text with HTML's character references decoded: numbers (&#233; &#xE9;) and the names of ISO 8859-1, of common
/// punctuation and of the five characters of markup. Others stay as they are.
[[nodiscard]] std::string decode_character_references(std::string_view text);

}  // namespace translate
