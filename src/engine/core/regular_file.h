#pragma once

#include <filesystem>
#include <string>

namespace translate {

/// Reads a whole file of a model: as read_file, but throws RuntimeError for a pipe or a device, from which nothing may
/// ever come.
[[nodiscard]] std::string read_regular_file(const std::filesystem::path& path);

}  // namespace translate
