#include "translate/core/cache_folder.h"

#include <cstdlib>

namespace translate {

std::filesystem::path user_cache_folder() {
  const auto absolute = [](const char* variable) {
    const char* value = std::getenv(variable);
    const std::filesystem::path path = value != nullptr ? value : "";
    return path.is_absolute() ? path : std::filesystem::path();
  };
  if (const auto cache = absolute("XDG_CACHE_HOME"); !cache.empty()) {
    return cache / "translate";
  }
  const auto home = absolute("HOME");
  return home.empty() ? home : home / ".cache" / "translate";
}

}  // namespace translate
