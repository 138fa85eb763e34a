#include "core/environment.h"

#include <cstdlib>

namespace translate {

std::optional<std::string> environment_variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace translate
