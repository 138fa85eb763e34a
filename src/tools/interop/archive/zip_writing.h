#pragma once

#include <filesystem>

namespace translate::tools {

/// Writes a zip archive of a folder, with the folder's own name before all names in it, and flushes it to disk. Throws
/// RuntimeError if libzip is not installed, or if the disk refuses.
void write_zip(const std::filesystem::path& archive, const std::filesystem::path& folder);

}  // namespace translate::tools
