#include "explain/page_place.h"

#include <fmt/format.h>

#include <system_error>

#include "core/error.h"
#include "core/logging.h"

namespace translate::tools {

std::filesystem::path page_place(const std::string& option, const std::string& file,
                                 const std::vector<std::pair<std::string, std::string>>& others) {
  const auto fail = [&](const std::string& why) { throw RuntimeError(fmt::format("cannot write {}: {}", file, why)); };
  const auto resolved = [&](const std::string& path) {
    std::error_code error;
    auto place = std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
    if (error) {
      fail(error.message());
    }
    return place;
  };
  auto place = resolved(file);
  if (!std::filesystem::is_directory(place.parent_path())) {
    fail("no such folder");
  }
  if (std::filesystem::exists(place) && !std::filesystem::is_regular_file(place)) {
    fail(std::filesystem::is_directory(place) ? "it is a folder" : "it is not a regular file");
  }
  for (const auto& [other_option, other] : others) {
    if (!other.empty() && resolved(other) == place) {
      throw ConfigError(fmt::format("{} and {} name the same file, {}", option, other_option, other));
    }
  }
  if (const auto ending = place.extension(); ending != ".html" && ending != ".htm") {
    log_warning(
        fmt::format("{} names the page \"{}\", not a text; browsers know pages by the ending .html", option, file));
  }
  return place;
}

}  // namespace translate::tools
