#pragma once

#include <string>
#include <string_view>

#include "command_line/help_formatter.h"

namespace translate {

/// Returns the manual page of a program (section 1), for man(1). Its footer names `version`; `see_also` lists the other
/// programs that have a manual page.
[[nodiscard]] std::string man_page(const CommandText& command, std::string_view version,
                                   const std::vector<std::string>& see_also);

}  // namespace translate
