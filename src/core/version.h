#pragma once

#include <string_view>

namespace translate {

/// This software's version, "0.1.0", as CMakeLists.txt names it.
[[nodiscard]] std::string_view version();

/// The version of the LibTorch that this was compiled against, "2.11.0".
[[nodiscard]] std::string_view libtorch_version();

}  // namespace translate
