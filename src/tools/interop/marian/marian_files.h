#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/stable_file.h"
#include "interop/archive/zip_archive.h"

namespace translate::tools {

/// The file by which a Marian model is known, and which names its other files.
inline constexpr const char* kMarianDecoderFile = "decoder.yml";

/// The most bytes of a file other than the weights.
inline constexpr std::uint64_t kMostMarianText = std::uint64_t{64} << 20U;

/// Tells whether a path is a folder with that file or of Firefox (is_firefox_model), or a .zip file.
[[nodiscard]] bool is_marian_model(const std::filesystem::path& path);

/// The files of a Marian model, in a folder or in a zip archive, as OPUS-MT publishes them. In a folder, a file may be
/// packed by gzip: then `.gz` follows the name by which it is asked for.
class MarianFiles {
 public:
  /// `path`: a folder, or a .zip file, whose entries may lie in one folder. Throws CheckpointError if the archive is
  /// damaged, has a path that leads out of it, or has several files decoder.yml.
  explicit MarianFiles(const std::filesystem::path& path);

  /// Whether a file is there. `name`: relative to the folder.
  [[nodiscard]] bool contains(const std::string& name) const;
  /// Returns a file's content, of at most `most` bytes. Throws CheckpointError if it is missing or larger, or, of gzip,
  /// damaged or more than a hundred times its packed size.
  [[nodiscard]] std::string read(const std::string& name, std::uint64_t most) const;
  /// The name of a file in messages.
  [[nodiscard]] std::string describe(const std::string& name) const;
  /// Opens a file in a folder; nothing for a packed one and for an archive, whose files must be read as a whole.
  [[nodiscard]] std::shared_ptr<const StableFile> open(const std::string& name) const;

 private:
  /// Whether a folder has a file packed by gzip alone.
  [[nodiscard]] bool is_packed(const std::string& name) const;
  [[nodiscard]] std::string unpack(const std::string& name, std::uint64_t most) const;

  std::filesystem::path path_;
  std::unique_ptr<ZipArchive> archive_;  ///< null: a folder
  std::string root_;                     ///< the folder in the archive that has the files, with a slash; or empty
};

}  // namespace translate::tools
