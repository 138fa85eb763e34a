#pragma once

#include <string_view>

namespace translate {

/// This software's version, "0.1.0", as in CMakeLists.txt.
[[nodiscard]] std::string_view version();

/// The version of LibTorch that this software was compiled against, "2.11.0".
[[nodiscard]] std::string_view libtorch_version();

}  // namespace translate
