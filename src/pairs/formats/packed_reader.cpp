#include "pairs/formats/packed_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/text_format.h"

namespace translate {

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18U;
constexpr std::uint64_t kFreeBytes = std::uint64_t{1} << 26U;  // of text that may come of any number of packed bytes
constexpr std::uint64_t kMostGrowth = 1000;  // text packs twentyfold at most, by repetition a little more

/// The first bytes of a file, unpacked if it is gzip; fewer if it is shorter.
std::string beginning_of(const std::filesystem::path& path) {
  GzipReader reader(path);
  return std::string(reader.read().substr(0, kFormatBytes));
}

std::string reason_of(archive* opened) {
  const char* text = archive_error_string(opened);
  return text == nullptr ? "an unknown reason" : text;
}

bool is_regular(archive_entry* entry) { return archive_entry_filetype(entry) == AE_IFREG; }

std::string name_of(archive_entry* entry) {
  const char* name = archive_entry_pathname_utf8(entry);
  return name == nullptr ? "" : name;
}

}  // namespace

void PackedReader::Close::operator()(archive* opened) const { archive_read_free(opened); }

std::unique_ptr<archive, PackedReader::Close> PackedReader::open(const std::filesystem::path& path, bool has_members) {
  std::unique_ptr<archive, Close> opened(archive_read_new());
  archive_read_support_filter_all(opened.get());
  if (has_members) {
    archive_read_support_format_zip(opened.get());
    archive_read_support_format_tar(opened.get());
  } else {
    archive_read_support_format_raw(opened.get());
  }
  if (archive_read_open_filename(opened.get(), path.c_str(), kChunk) != ARCHIVE_OK) {
    throw DataError(fmt::format("{}: cannot be unpacked: {}", path.string(), reason_of(opened.get())));
  }
  return opened;
}

bool is_archive(const std::filesystem::path& path) {
  switch (container_of(beginning_of(path))) {
    case Container::kNone:
      return false;
    case Container::kPacked:  // but by gzip, which beginning_of unpacks
      return path.stem().string().ends_with(".tar");
    case Container::kZip:
    case Container::kTar:
      return true;
  }
  return false;
}

std::vector<std::string> files_in_archive(const std::filesystem::path& path) {
  const auto opened = PackedReader::open(path, /*has_members=*/true);
  std::vector<std::string> names;
  archive_entry* entry = nullptr;
  for (;;) {
    const int result = archive_read_next_header(opened.get(), &entry);
    if (result == ARCHIVE_EOF) {
      return names;
    }
    if (result < ARCHIVE_WARN) {
      throw DataError(
          fmt::format("{}: damaged behind {} files: {}", path.string(), names.size(), reason_of(opened.get())));
    }
    if (is_regular(entry)) {
      names.push_back(name_of(entry));
    }
  }
}

PackedReader::PackedReader(std::filesystem::path path, std::string member)
    : path_(std::move(path)), archive_(open(path_, !member.empty())), buffer_(kChunk, '\0') {
  archive_entry* entry = nullptr;
  do {
    const int result = archive_read_next_header(archive_.get(), &entry);
    if (result == ARCHIVE_EOF && !member.empty()) {
      throw DataError(fmt::format("{}: has no file {}", path_.string(), member));
    }
    if (result < ARCHIVE_WARN && result != ARCHIVE_EOF) {
      throw DataError(fmt::format("{}: cannot be unpacked: {}", path_.string(), reason_of(archive_.get())));
    }
  } while (!member.empty() && name_of(entry) != member);
  if (!member.empty()) {
    path_ /= member;  // for messages
  }
}

std::string_view PackedReader::read() {
  const auto size = archive_read_data(archive_.get(), buffer_.data(), buffer_.size());
  if (size < 0) {
    throw DataError(
        fmt::format("{}:{}: damaged or cut off: {}", path_.string(), lines_ + 1, reason_of(archive_.get())));
  }
  const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(size));
  read_ += bytes.size();
  lines_ += static_cast<std::size_t>(std::ranges::count(bytes, '\n'));
  const auto taken = archive_filter_bytes(archive_.get(), -1);
  if (read_ > kFreeBytes && taken > 0 && read_ / static_cast<std::uint64_t>(taken) > kMostGrowth) {
    throw DataError(
        fmt::format("{}:{}: unpacks to more than {} times its size, which no text does; nothing more is read",
                    path_.string(), lines_ + 1, kMostGrowth));
  }
  return bytes;
}

std::unique_ptr<ByteReader> open_text(const std::filesystem::path& path, const std::string& member) {
  if (!member.empty() || container_of(beginning_of(path)) == Container::kPacked) {
    return std::make_unique<PackedReader>(path, member);
  }
  return std::make_unique<GzipReader>(path);
}

}  // namespace translate
