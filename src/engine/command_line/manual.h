#pragma once

#include <string>
#include <string_view>

#include "command_line/help_formatter.h"

namespace translate {

/// Returns the manual page of a program (section 1), for man(1). Its footer names `version`; `see_also` lists the other
/// programs that have a manual page.
[[nodiscard]] std::string man_page(const CommandText& command, std::string_view version,
                                   const std::vector<std::string>& see_also);

/// Return the scripts with which a shell completes a program's options and their values: names of files and folders if
/// the option takes them, the choices if there are few.
[[nodiscard]] std::string bash_completion(const CommandText& command);
[[nodiscard]] std::string zsh_completion(const CommandText& command);
[[nodiscard]] std::string fish_completion(const CommandText& command);

}  // namespace translate
