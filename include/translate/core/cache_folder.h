#pragma once

#include <filesystem>

namespace translate {

/// Where this user's programs keep what they can find out again: $XDG_CACHE_HOME/translate or ~/.cache/translate (XDG
/// Base Directory Specification 0.8). It need not exist. Empty where neither variable names an absolute path.
[[nodiscard]] std::filesystem::path user_cache_folder();

}  // namespace translate
