#pragma once

#include <cstddef>
#include <string_view>

#include "documents/decoded_string.h"

namespace translate::tools {

/// Decodes the character references (&eacute;, &#233;) in the bytes [begin, end) of a file.
[[nodiscard]] DecodedString decode_references(std::string_view file, std::size_t begin, std::size_t end);

/// The length of the character reference at the beginning of a text, or of what looks like one; 0 if there is none.
[[nodiscard]] std::size_t reference_length(std::string_view text);

}  // namespace translate::tools
