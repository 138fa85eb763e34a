#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/file.h"

namespace translate {

/// The little-endian bytes of a number.
template <typename T>
std::string little_endian(T value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFF);
  }
  return bytes;
}

/// How zip_of writes.
struct ZipStyle {
  bool zip64 = false;            ///< sizes, offsets and counts in the 64-bit fields
  bool checksums = true;         ///< else every CRC-32 is 0
  std::uint16_t method = 0;      ///< of compression: 8 is deflate
  std::uint16_t flags = 0x0808;  ///< as torch.save writes them
  std::string comment = {};      ///< of the archive
  std::size_t padding = 0;       ///< bytes of an extra field before each content
};

using ZipEntries = std::vector<std::pair<std::string, std::string>>;

/// A zip archive by hand: local headers with contents, the central directory, its end.
inline std::string zip_of(const ZipEntries& entries, const ZipStyle& style = {}) {
  const auto u16 = [](std::size_t value) { return little_endian(static_cast<std::uint16_t>(value)); };
  const auto u32 = [](std::size_t value) { return little_endian(static_cast<std::uint32_t>(value)); };
  const auto u64 = [](std::size_t value) { return little_endian(static_cast<std::uint64_t>(value)); };
  std::string file;
  std::string directory;
  for (const auto& [name, content] : entries) {
    const std::string common = u16(20) + u16(style.flags) + u16(style.method) + u32(0);  // version, ..., time and date
    const std::string sum = u32(style.checksums ? crc32(content) : 0);
    const std::string saturated = u32(0xFFFFFFFF);
    const std::string size = style.zip64 ? saturated : u32(content.size());
    const std::string wide = u16(1) + u16(24) + u64(content.size()) + u64(content.size()) + u64(file.size());
    const std::string extra = style.zip64 ? u16(0xABCD) + u16(1) + "x" + wide : "";
    directory += std::string("PK\x01\x02") + u16(20) + common + sum + size + size + u16(name.size()) +
                 u16(extra.size()) + u16(0) + u16(0) + u16(0) + u32(0) + (style.zip64 ? saturated : u32(file.size())) +
                 name + extra;
    const std::string padding =
        style.padding >= 4 ? u16(0x4246) + u16(style.padding - 4) + std::string(style.padding - 4, 'Z') : "";
    const std::string local_extra =
        (style.zip64 ? u16(1) + u16(16) + u64(content.size()) + u64(content.size()) : "") + padding;
    file += std::string("PK\x03\x04") + common + sum + size + size + u16(name.size()) + u16(local_extra.size()) + name +
            local_extra + content;
  }
  const std::size_t start = file.size();
  file += directory;
  if (style.zip64) {
    const std::string count = u64(entries.size());
    const std::size_t end64 = file.size();
    file += std::string("PK\x06\x06") + u64(44) + u16(45) + u16(45) + u32(0) + u32(0) + count + count +
            u64(directory.size()) + u64(start);
    file += std::string("PK\x06\x07") + u32(0) + u64(end64) + u32(1);
  }
  const std::string count = u16(style.zip64 ? 0xFFFF : entries.size());
  file += std::string("PK\x05\x06") + u16(0) + u16(0) + count + count +
          u32(style.zip64 ? 0xFFFFFFFF : directory.size()) + u32(style.zip64 ? 0xFFFFFFFF : start) +
          u16(style.comment.size()) + style.comment;
  return file;
}

}  // namespace translate
