#include "core/cache_folder.h"

#include "core/environment.h"

namespace translate {

std::filesystem::path user_cache_folder() {
  const auto absolute = [](const char* variable) {
    const std::filesystem::path path = environment_variable(variable).value_or("");
    return path.is_absolute() ? path : std::filesystem::path();
  };
  if (const auto cache = absolute("XDG_CACHE_HOME"); !cache.empty()) {
    return cache / "translate";
  }
  const auto home = absolute("HOME");
  return home.empty() ? home : home / ".cache" / "translate";
}

}  // namespace translate
