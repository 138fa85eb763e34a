#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace translate::tools {

/// Splits a command at its white space, as a shell does: text in quotes ('...' or "...") belongs to one word, and a
/// backslash, except in '...', takes the next character as it is. Nothing else has a meaning: there are no variables,
/// patterns or pipes. Throws ConfigError if a quote is not closed, a backslash is at the end, or there are no words.
[[nodiscard]] std::vector<std::string> command_words(std::string_view command);

}  // namespace translate::tools
