#pragma once

#include <string_view>

namespace translate::trainer {

/// The version of LibTorch that this software was compiled against, "2.11.0".
[[nodiscard]] std::string_view libtorch_version();

}  // namespace translate::trainer
