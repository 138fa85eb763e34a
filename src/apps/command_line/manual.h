#pragma once

#include <string>
#include <string_view>

#include "apps/command_line/help_formatter.h"

namespace translate {

/// The manual page of a program (section 1), for man(1): `version` is named at its foot, `see_also` are the other
/// programs that have one.
[[nodiscard]] std::string man_page(const CommandText& command, std::string_view version,
                                   const std::vector<std::string>& see_also);

/// Scripts with which a shell completes a program's options and their values: names of files and folders where they are
/// asked for, the choices where there are few.
[[nodiscard]] std::string bash_completion(const CommandText& command);
[[nodiscard]] std::string zsh_completion(const CommandText& command);
[[nodiscard]] std::string fish_completion(const CommandText& command);

}  // namespace translate
