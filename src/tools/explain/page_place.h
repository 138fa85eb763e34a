#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace translate::tools {

/// Returns the path of a page to write, with links resolved. Call it before the work for the page, so that errors are
/// reported first. Warns of a name that does not end in .html. `option` names the page's `file` on the command line,
/// and `others` are options with files that the page must not replace (empty: not given). Throws RuntimeError if the
/// page cannot be written there, ConfigError if one of the others is the same file.
[[nodiscard]] std::filesystem::path page_place(const std::string& option, const std::string& file,
                                               const std::vector<std::pair<std::string, std::string>>& others = {});

}  // namespace translate::tools
