#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/stable_file.h"

namespace translate::tools {

/// The entries that an archive may have.
enum class ZipContent {
  kStored,   ///< not compressed, as `torch.save` writes them
  kDeflated  ///< or compressed by the usual method, to no less than a hundredth of their size
};

/// The entries of a zip archive, zip64 where needed. libzip reads the directory and compares it with the entries' own
/// headers; sizes are checked against the archive's before memory is allocated.
class ZipArchive {
 public:
  /// Reads the central directory. Throws CheckpointError naming the damage, RuntimeError if the file cannot be read or
  /// changes meanwhile.
  explicit ZipArchive(std::shared_ptr<const StableFile> file, ZipContent content = ZipContent::kStored);
  /// An archive in memory, which must outlive this object; `name` is for messages.
  ZipArchive(std::string_view bytes, const std::filesystem::path& name);
  ~ZipArchive();

  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  /// The archive's own path or name.
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

  /// The names, sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool contains(const std::string& name) const { return entries_.contains(name); }

  /// The size of an entry's content in bytes. Throws CheckpointError if the entry is missing, damaged, encrypted or
  /// compressed in a way that the archive may not have.
  [[nodiscard]] std::uint64_t size(const std::string& name) const;

  /// Reads an entry's content, of size() bytes, and compares it with its CRC-32; an archive in which every CRC-32 is 0
  /// was written without any (`torch.serialization.set_crc32_options(False)`). Throws as size() does.
  void read(const std::string& name, std::span<char> to) const;
  /// The same as text.
  [[nodiscard]] std::string read(const std::string& name) const;

 private:
  class Source;
  struct Entry {
    std::uint64_t index = 0;  ///< in libzip's archive
    std::uint16_t method = 0;
    bool encrypted = false;
    std::uint32_t crc32 = 0;
    std::uint64_t compressed_size = 0;
    std::uint64_t size = 0;
  };

  void read_directory();
  [[nodiscard]] const Entry& find(const std::string& name) const;
  [[noreturn]] void fail(std::string_view what) const;

  std::filesystem::path file_;
  ZipContent content_ = ZipContent::kStored;
  std::unique_ptr<Source> source_;
  std::map<std::string, Entry> entries_;
  bool has_checksums_ = false;
};

}  // namespace translate::tools
