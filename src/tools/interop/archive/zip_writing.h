#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace translate::tools {

/// Writes a zip archive of a folder, with the folder's own name before all names in it, and flushes it to disk. Throws
/// RuntimeError if libzip is not installed, or if the disk refuses.
void write_zip(const std::filesystem::path& archive, const std::filesystem::path& folder);

/// A file of an archive.
struct ZipFile {
  std::string name;
  std::string content;
};

/// Writes a zip archive of these files, in their order, without compression. Throws as write_zip.
void write_stored_zip(const std::filesystem::path& archive, const std::vector<ZipFile>& files);

}  // namespace translate::tools
