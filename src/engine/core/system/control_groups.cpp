#include "core/system/control_groups.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace translate {

namespace {

/// The smallest value from the group up to the mount. In a container the path may name a group of the host that is not
/// visible: missing folders are skipped, and the mount itself, the container's group, still counts.
GroupValue tightest(const std::filesystem::path& mount, std::filesystem::path group,
                    GroupValue (*read)(const std::filesystem::path&)) {
  GroupValue result = read(mount);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    result = smaller(result, read(mount / group));
  }
  return result;
}

/// True if a comma-separated list of version 1 controllers contains `name`.
bool names(std::string_view controllers, std::string_view name) {
  while (!controllers.empty()) {
    const std::size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == name) {
      return true;
    }
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

}  // namespace

GroupValue smaller(GroupValue left, GroupValue right) {
  if (!left || !right) {
    return left ? left : right;
  }
  return std::min(*left, *right);
}

GroupValue tightest_group_value(const std::filesystem::path& root, std::string_view controller,
                                const GroupReaders& readers) {
  std::ifstream groups(root / "proc/self/cgroup");
  const std::filesystem::path mounts = root / "sys/fs/cgroup";
  GroupValue result;
  // Each line is "number:controllers:path"; version 2 has the number 0 and no controllers.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::filesystem::path group = line.substr(second + 1);
    if (controllers.empty()) {
      result = smaller(result, tightest(mounts, group, readers.version_2));
    } else if (names(controllers, controller)) {
      result = smaller(result, tightest(mounts / controller, group, readers.version_1));
      result = smaller(result, tightest(mounts / controllers, group, readers.version_1));
    }
  }
  return result;
}

}  // namespace translate
