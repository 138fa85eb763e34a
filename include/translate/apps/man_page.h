#pragma once

#include <string>
#include <string_view>

#include "translate/apps/command_text.h"

namespace translate {

/// The manual page of a program (section 1), for man(1): `version` is named at its foot, `see_also` are the other
/// programs that have one.
[[nodiscard]] std::string man_page(const CommandText& command, std::string_view version,
                                   const std::vector<std::string>& see_also);

}  // namespace translate
