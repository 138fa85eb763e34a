#include "translate/config/find_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "translate/core/error.h"
#include "translate/core/text_distance.h"

namespace translate {
namespace {

bool is_file(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) && !std::filesystem::is_directory(path, ignored);
}

/// The configurations in a folder, sorted, or none.
std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::filesystem::path find_config(const std::string& name, const std::filesystem::path& executable_dir) {
  std::vector<std::filesystem::path> folders = {""};
  if (!std::filesystem::path(name).has_parent_path()) {
    folders.emplace_back("configs");
    folders.push_back((executable_dir / "../share/translate/configs").lexically_normal());
    folders.push_back((executable_dir / "../../../configs").lexically_normal());
  }
  std::string places;
  std::string meant;
  for (const std::filesystem::path& folder : folders) {
    std::filesystem::path candidate = folder / name;
    if (!name.empty() && is_file(candidate)) return candidate;
    places += (places.empty() ? "" : ", ") + candidate.string();
    const auto nearest = nearest_name(name, names_in(folder.empty() ? "." : folder));
    if (meant.empty() && nearest) meant = fmt::format("; did you mean `{}`?", *nearest);
  }
  throw ConfigError(fmt::format("there is no configuration file \"{}\" (looked for {}){}", name, places, meant));
}

}  // namespace translate
