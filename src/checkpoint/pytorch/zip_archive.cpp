#include "checkpoint/pytorch/zip_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/error.h"
#include "core/file.h"

namespace translate {

static_assert(std::endian::native == std::endian::little, "zip archives are little endian");

namespace {

constexpr std::uint32_t kLocalSignature = 0x04034b50;
constexpr std::uint32_t kCentralSignature = 0x02014b50;
constexpr std::uint32_t kEndSignature = 0x06054b50;
constexpr std::uint32_t kEnd64Signature = 0x06064b50;
constexpr std::uint32_t kLocatorSignature = 0x07064b50;
constexpr std::uint64_t kLocalSize = 30;    // fixed part of a local header
constexpr std::uint64_t kCentralSize = 46;  // fixed part of a directory entry
constexpr std::uint64_t kEndSize = 22;      // end of the central directory, without its comment
constexpr std::uint64_t kLocatorSize = 20;
constexpr std::uint64_t kMaxComment = 0xFFFF;
constexpr std::uint16_t kZip64Field = 1;
constexpr std::uint16_t kEncrypted = 1;  // a flag
constexpr std::uint16_t kInField16 = 0xFFFF;
constexpr std::uint32_t kInField64 = 0xFFFFFFFF;  // "the number stands in the zip64 field"

}  // namespace

ZipArchive::ZipArchive(std::shared_ptr<const StableFile> file)
    : bytes_(file->size()),
      read_([file](std::uint64_t offset, std::span<char> to) { file->read(offset, to); }),
      file_(file->path()) {
  read_directory();
}

ZipArchive::ZipArchive(std::string_view bytes, const std::filesystem::path& name)
    : bytes_(bytes.size()),
      read_([bytes](std::uint64_t offset, std::span<char> to) { bytes.copy(to.data(), to.size(), offset); }),
      file_(name) {
  read_directory();
}

void ZipArchive::fail(std::string_view what) const {
  throw CheckpointError(fmt::format("{}: {}", file_.string(), what));
}

void ZipArchive::check_range(std::uint64_t offset, std::uint64_t size) const {
  if (offset > bytes_ || size > bytes_ - offset) {
    fail(fmt::format("truncated or damaged zip archive: {} bytes from {} on are not within its {} bytes", size, offset,
                     bytes_));
  }
}

std::string ZipArchive::part(std::uint64_t offset, std::uint64_t size) const {
  check_range(offset, size);
  std::string bytes(size, '\0');
  read_(offset, bytes);
  return bytes;
}

template <typename T>
T ZipArchive::number(std::uint64_t offset) const {
  check_range(offset, sizeof(T));
  T value = 0;
  read_(offset, {reinterpret_cast<char*>(&value), sizeof(T)});
  return value;
}

/// Where the end record starts: its comment must reach to the file's last byte.
std::optional<std::uint64_t> ZipArchive::find_end() const {
  const std::uint64_t size = std::min(bytes_, kEndSize + kMaxComment);
  const std::string tail = part(bytes_ - size, size);
  for (std::uint64_t comment = 0; comment + kEndSize <= size; ++comment) {
    const char* const start = tail.data() + size - kEndSize - comment;
    std::uint32_t signature = 0;
    std::uint16_t length = 0;
    std::memcpy(&signature, start, sizeof(signature));
    std::memcpy(&length, start + 20, sizeof(length));
    if (signature == kEndSignature && length == comment) return bytes_ - kEndSize - comment;
  }
  return std::nullopt;
}

ZipArchive::Directory ZipArchive::find_directory() const {
  const auto end = find_end();
  if (!end) fail("truncated or damaged zip archive: its central directory, which stands at the end, is missing");
  Directory directory{.entries = number<std::uint16_t>(*end + 10),
                      .size = number<std::uint32_t>(*end + 12),
                      .offset = number<std::uint32_t>(*end + 16)};
  std::uint64_t limit = *end;
  if (directory.entries == kInField16 || directory.size == kInField64 || directory.offset == kInField64) {
    if (*end < kLocatorSize || number<std::uint32_t>(*end - kLocatorSize) != kLocatorSignature) {
      fail("damaged zip archive: the locator of its zip64 directory is missing");
    }
    limit = number<std::uint64_t>(*end - kLocatorSize + 8);
    if (number<std::uint32_t>(limit) != kEnd64Signature) fail("damaged zip archive: no zip64 directory at its place");
    directory = {.entries = number<std::uint64_t>(limit + 32),
                 .size = number<std::uint64_t>(limit + 40),
                 .offset = number<std::uint64_t>(limit + 48)};
  }
  if (directory.offset > limit || directory.size > limit - directory.offset) {
    fail("damaged zip archive: its central directory is outside the file");
  }
  return directory;
}

void ZipArchive::read_directory() {
  const Directory directory = find_directory();
  directory_offset_ = directory.offset;
  const std::uint64_t end = directory.offset + directory.size;
  std::uint64_t place = directory.offset;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    if (end - place < kCentralSize || number<std::uint32_t>(place) != kCentralSignature) {
      fail(fmt::format("damaged zip archive: entry {} of {} of its central directory is not readable", i + 1,
                       directory.entries));
    }
    Entry entry{.flags = number<std::uint16_t>(place + 8),
                .method = number<std::uint16_t>(place + 10),
                .crc32 = number<std::uint32_t>(place + 16),
                .compressed_size = number<std::uint32_t>(place + 20),
                .size = number<std::uint32_t>(place + 24),
                .offset = number<std::uint32_t>(place + 42)};
    const std::uint64_t name_size = number<std::uint16_t>(place + 28);
    const std::uint64_t extra_size = number<std::uint16_t>(place + 30);
    const std::uint64_t total = kCentralSize + name_size + extra_size + number<std::uint16_t>(place + 32);
    if (total > end - place) fail("damaged zip archive: an entry of its central directory is cut");
    const std::string name(part(place + kCentralSize, name_size));
    read_zip64_field(entry, part(place + kCentralSize + name_size, extra_size));
    has_checksums_ = has_checksums_ || entry.crc32 != 0;
    if (!entries_.emplace(name, entry).second) fail("damaged zip archive: it names an entry twice");
    place += total;
  }
  if (place != end) fail("damaged zip archive: its central directory holds more than its entries");
}

void ZipArchive::read_zip64_field(Entry& entry, std::string_view extra) const {
  std::string_view field;  // the 64-bit numbers, in a fixed order, of those that do not fit 32 bits
  while (extra.size() >= 4) {
    std::uint16_t id = 0;
    std::uint16_t size = 0;
    std::memcpy(&id, extra.data(), sizeof(id));
    std::memcpy(&size, extra.data() + 2, sizeof(size));
    if (size > extra.size() - 4) fail("damaged zip archive: an extra field is cut");
    if (id == kZip64Field) field = extra.substr(4, size);
    extra.remove_prefix(4 + std::size_t{size});
  }
  for (std::uint64_t* const value : {&entry.size, &entry.compressed_size, &entry.offset}) {
    if (*value != kInField64) continue;
    if (field.size() < sizeof(*value)) fail("damaged zip archive: a zip64 field is missing");
    std::memcpy(value, field.data(), sizeof(*value));
    field.remove_prefix(sizeof(*value));
  }
}

std::vector<std::string> ZipArchive::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) {
    names.push_back(name);
  }
  return names;
}

std::pair<const ZipArchive::Entry&, std::uint64_t> ZipArchive::find(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) fail(fmt::format("damaged: its entry \"{}\" is missing", name));
  const Entry& entry = found->second;
  if ((entry.flags & kEncrypted) != 0) fail(fmt::format("its entry \"{}\" is encrypted", name));
  if (entry.method != 0) {
    fail(
        fmt::format("its entry \"{}\" is compressed (method {}), which torch.save never does: unpack it with unzip "
                    "and pack it with zip -0 -r",
                    name, entry.method));
  }
  if (entry.size != entry.compressed_size || number<std::uint32_t>(entry.offset) != kLocalSignature) {
    fail(fmt::format("damaged: no entry \"{}\" at its place", name));
  }
  const std::uint64_t name_size = number<std::uint16_t>(entry.offset + 26);
  const std::uint64_t extra_size = number<std::uint16_t>(entry.offset + 28);
  if (part(entry.offset + kLocalSize, name_size) != name) {
    fail(fmt::format("damaged: the entry at the place of \"{}\" has another name", name));
  }
  const std::uint64_t start = entry.offset + kLocalSize + name_size + extra_size;
  check_range(start, entry.size);
  if (start + entry.size > directory_offset_) fail(fmt::format("damaged: its entry \"{}\" is cut", name));
  return {entry, start};
}

std::uint64_t ZipArchive::size(const std::string& name) const { return find(name).first.size; }

void ZipArchive::read(const std::string& name, std::span<char> to) const {
  const auto [entry, start] = find(name);
  read_(start, to.first(entry.size));
  const std::uint32_t found = has_checksums_ ? crc32({to.data(), entry.size}) : entry.crc32;
  if (found != entry.crc32) {
    fail(fmt::format("damaged: the CRC-32 of its entry \"{}\" is {:08x}, the archive says {:08x}", name, found,
                     entry.crc32));
  }
}

std::string ZipArchive::read(const std::string& name) const {
  std::string content(size(name), '\0');
  read(name, content);
  return content;
}

}  // namespace translate
