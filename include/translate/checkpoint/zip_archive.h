#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// The entries of a zip archive in memory, as `torch.save` writes it: stored (not compressed), zip64 where needed
/// (APPNOTE.TXT of PKWARE, sections 4.3 to 4.5). Nothing in the bytes is trusted: every offset and length is checked.
class ZipArchive {
 public:
  /// Reads the central directory. `bytes` must outlive the archive; `file` is for messages.
  /// Throws CheckpointError naming what is damaged.
  ZipArchive(std::string_view bytes, const std::filesystem::path& file);

  /// The names, sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool contains(const std::string& name) const { return entries_.contains(name); }

  /// An entry's content, a part of the archive's bytes, compared with its CRC-32; an archive in which every CRC-32 is 0
  /// was written without any (`torch.serialization.set_crc32_options(False)`).
  /// Throws CheckpointError where the entry is missing, damaged, compressed or encrypted.
  [[nodiscard]] std::string_view read(const std::string& name) const;

 private:
  struct Entry {
    std::uint16_t flags = 0;
    std::uint16_t method = 0;
    std::uint32_t crc32 = 0;
    std::uint64_t compressed_size = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;  ///< of the local header
  };
  struct Directory {
    std::uint64_t entries = 0;
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
  };

  template <typename T>
  [[nodiscard]] T number(std::uint64_t offset) const;
  [[nodiscard]] std::string_view part(std::uint64_t offset, std::uint64_t size) const;
  [[nodiscard]] Directory find_directory() const;
  void read_directory();
  void read_zip64_field(Entry& entry, std::string_view extra) const;
  [[noreturn]] void fail(std::string_view what) const;

  std::string_view bytes_;
  std::filesystem::path file_;
  std::uint64_t directory_offset_ = 0;
  std::map<std::string, Entry> entries_;
  bool has_checksums_ = false;
};

}  // namespace translate
