#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/corpus_reader.h"

struct archive;  // libarchive's

namespace translate {

/// Whether a file is an archive of several files (zip, tar, packed or not), by its first bytes and its name.
[[nodiscard]] bool is_archive(const std::filesystem::path& path);

/// Returns the names of the files in an archive, in their order. Throws as PackedReader does.
[[nodiscard]] std::vector<std::string> files_in_archive(const std::filesystem::path& path);

/// The text of a packed file (xz, zstd, bzip2, gzip and others that libarchive knows), or of one file in an archive,
/// unpacked in chunks.
class PackedReader final : public ByteReader {
 public:
  /// `member`: the name of the file in the archive; empty for a packed file. Throws DataError if the file is neither,
  /// or lacks the member; RuntimeError if it cannot be opened.
  explicit PackedReader(std::filesystem::path path, std::string member = {});

  /// Throws DataError, with the position, if the file is damaged or ends too early, or if so few bytes give so much
  /// text that it can only be meant to fill a disk.
  [[nodiscard]] std::string_view read() override;

 private:
  struct Close {
    void operator()(archive* opened) const;
  };
  friend std::vector<std::string> files_in_archive(const std::filesystem::path& path);

  [[nodiscard]] static std::unique_ptr<archive, Close> open(const std::filesystem::path& path, bool has_members);

  std::filesystem::path path_;
  std::unique_ptr<archive, Close> archive_;
  std::string buffer_;
  std::uint64_t read_ = 0;
  std::size_t lines_ = 0;  ///< for messages
};

/// Opens a text, packed or not: of a file, or of one in an archive (`member`). Throws as PackedReader and GzipReader
/// do.
[[nodiscard]] std::unique_ptr<ByteReader> open_text(const std::filesystem::path& path, const std::string& member = {});

}  // namespace translate
