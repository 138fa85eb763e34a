#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/held_file.h"

namespace translate {

/// The entries of a zip archive, as `torch.save` writes it: stored (not compressed), zip64 where needed
/// (APPNOTE.TXT of PKWARE, sections 4.3 to 4.5). Nothing in the bytes is trusted: every offset and length is checked,
/// against the archive's size before memory is allocated.
class ZipArchive {
 public:
  /// Reads the central directory. Throws CheckpointError naming what is damaged, RuntimeError where the file cannot be
  /// read or changes meanwhile.
  explicit ZipArchive(std::shared_ptr<const StableFile> file);
  /// An archive in memory, which must outlive this object; `name` is for messages.
  ZipArchive(std::string_view bytes, const std::filesystem::path& name);

  /// The names, sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool contains(const std::string& name) const { return entries_.contains(name); }

  /// How many bytes an entry's content has. Throws CheckpointError where the entry is missing, damaged, compressed or
  /// encrypted.
  [[nodiscard]] std::uint64_t size(const std::string& name) const;

  /// Reads an entry's content, of size() bytes, and compares it with its CRC-32; an archive in which every CRC-32 is 0
  /// was written without any (`torch.serialization.set_crc32_options(False)`). Throws as size() does.
  void read(const std::string& name, std::span<char> to) const;
  /// The same as text.
  [[nodiscard]] std::string read(const std::string& name) const;

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

  using Read = std::function<void(std::uint64_t offset, std::span<char> to)>;

  template <typename T>
  [[nodiscard]] T number(std::uint64_t offset) const;
  [[nodiscard]] std::string part(std::uint64_t offset, std::uint64_t size) const;
  void check_range(std::uint64_t offset, std::uint64_t size) const;
  [[nodiscard]] std::optional<std::uint64_t> find_end() const;
  [[nodiscard]] Directory find_directory() const;
  void read_directory();
  void read_zip64_field(Entry& entry, std::string_view extra) const;
  /// The entry and where its content begins.
  [[nodiscard]] std::pair<const Entry&, std::uint64_t> find(const std::string& name) const;
  [[noreturn]] void fail(std::string_view what) const;

  std::uint64_t bytes_;  ///< of the whole archive
  Read read_;
  std::filesystem::path file_;
  std::uint64_t directory_offset_ = 0;
  std::map<std::string, Entry> entries_;
  bool has_checksums_ = false;
};

}  // namespace translate
