#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace translate {

/// A limit or usage of a resource from a control group's folder, in the reader's unit; nothing if it sets no limit.
using GroupValue = std::optional<double>;

/// Reads the value from a group's folder, for each of the two versions of control groups.
struct GroupReaders {
  GroupValue (*version_1)(const std::filesystem::path& group);
  GroupValue (*version_2)(const std::filesystem::path& group);
};

/// The smaller of two values that may be missing.
[[nodiscard]] GroupValue smaller(GroupValue left, GroupValue right);

/// The smallest value among this process's control groups, each from its own group up to the mount, for a controller
/// ("cpu", "memory"); nothing if no group has one. `root` is the file system's root; tests give another.
[[nodiscard]] GroupValue tightest_group_value(const std::filesystem::path& root, std::string_view controller,
                                              const GroupReaders& readers);

}  // namespace translate
