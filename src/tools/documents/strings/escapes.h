#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "documents/decoded_string.h"

namespace translate::tools {

/// Decodes the bytes [begin, end) of a file, which lie between double quotes, as JSON, YAML and gettext write them: \n,
/// \t, \", \\, \u00e9 with pairs of surrogates, \x41, and in YAML a few more. Returns nothing if there is an escape
/// that is none of these, or a NUL byte comes out.
[[nodiscard]] std::optional<DecodedString> decode_backslashes(std::string_view file, std::size_t begin,
                                                              std::size_t end);

/// Adds the same to a string that ends at `begin`. Returns false where decode_backslashes returns nothing.
[[nodiscard]] bool add_backslashes(std::string_view file, std::size_t begin, std::size_t end, DecodedString& decoded);

/// Returns text as it stands between double quotes: with \" and \\, and escapes for control characters that JSON, YAML
/// and gettext all know: \b, \f, \n, \r, \t; \u001b for others.
[[nodiscard]] std::string escape_backslashes(std::string_view text);

}  // namespace translate::tools
