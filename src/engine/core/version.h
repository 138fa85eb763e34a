#pragma once

#include <string_view>

namespace translate {

/// This software's version, "0.1.0", as in CMakeLists.txt.
[[nodiscard]] std::string_view version();

}  // namespace translate
