#pragma once

#include <string>
#include <string_view>

namespace translate {

/// Returns bytes in base64 (RFC 4648, section 4), with padding and without line ends.
[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace translate
