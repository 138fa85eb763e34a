#pragma once

#include <string>

#include "translate/apps/command_text.h"

namespace translate {

/// Scripts with which a shell completes a program's options and their values: names of files and folders where they are
/// asked for, the choices where there are few.
[[nodiscard]] std::string bash_completion(const CommandText& command);
[[nodiscard]] std::string zsh_completion(const CommandText& command);
[[nodiscard]] std::string fish_completion(const CommandText& command);

}  // namespace translate
