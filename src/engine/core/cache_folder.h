#pragma once

#include <filesystem>

namespace translate {

/// The user's cache folder: $XDG_CACHE_HOME/translate or ~/.cache/translate (XDG Base Directory Specification 0.8). It
/// need not exist. Empty if neither variable names an absolute path.
[[nodiscard]] std::filesystem::path user_cache_folder();

}  // namespace translate
