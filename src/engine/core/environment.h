#pragma once

#include <functional>
#include <optional>
#include <string>

namespace translate {

/// Returns the value of a variable of this process's environment, or nothing if it is not set. An empty variable counts
/// as one that is not set, as in most programs.
[[nodiscard]] std::optional<std::string> environment_variable(const std::string& name);

/// Looks up a variable of the environment as environment_variable does. Tests give another function.
using EnvironmentReader = std::function<std::optional<std::string>(const std::string& name)>;

}  // namespace translate
