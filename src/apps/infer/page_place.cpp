#include "apps/infer/page_place.h"

#include <fmt/format.h>

#include "core/error.h"

namespace translate {

std::filesystem::path page_place(const std::string& option, const std::string& file,
                                 const std::vector<std::pair<std::string, std::string>>& others) {
  const auto resolved = [](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  };
  auto place = resolved(file);
  const auto fail = [&](const char* why) { throw RuntimeError(fmt::format("cannot write {}: {}", file, why)); };
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
  return place;
}

}  // namespace translate
