#include "interop/archive/zip_archive.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <functional>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/foreign_text.h"

namespace translate::tools {

/// The archive's bytes as a libzip source, and libzip's view of the archive.
class ZipArchive::Source {
 public:
  using Read = std::function<void(std::uint64_t offset, std::span<char> to)>;

  Source(std::uint64_t size, Read read) : size_(size), read_(std::move(read)) {}
  ~Source() {
    if (archive_ != nullptr) {
      zip_discard(archive_);
    }
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// Opens the archive; returns libzip's error number, ZIP_ER_OK if there is no error. Throws what `read` throws.
  int open() {
    zip_error_t error = {};
    zip_source_t* const source = zip_source_function_create(&Source::answer, this, &error);
    if (source == nullptr) {
      return error.zip_err;
    }
    // CHECKCONS: every entry lies within the archive, and its own header agrees with the directory.
    archive_ = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error);
    if (archive_ == nullptr) {
      zip_source_free(source);
    }
    rethrow();
    return archive_ == nullptr ? error.zip_err : ZIP_ER_OK;
  }

  /// Reads an entry's bytes, as they are stored or `inflated`; returns false if libzip cannot. Throws what `read`
  /// throws.
  bool read_entry(std::uint64_t index, bool inflated, std::span<char> to) {
    zip_file_t* const entry = zip_fopen_index(archive_, index, inflated ? 0 : ZIP_FL_COMPRESSED);
    std::size_t done = 0;
    while (entry != nullptr && done < to.size()) {
      const zip_int64_t count = zip_fread(entry, to.data() + done, to.size() - done);
      if (count <= 0) {
        break;
      }
      done += static_cast<std::size_t>(count);
    }
    if (entry != nullptr) {
      zip_fclose(entry);
    }
    rethrow();
    return entry != nullptr && done == to.size();
  }

  [[nodiscard]] zip_t* archive() const { return archive_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  static zip_int64_t answer(void* state, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    return static_cast<Source*>(state)->answer(data, length, command);
  }

  zip_int64_t answer(void* data, std::uint64_t length, zip_source_cmd_t command) {
    switch (command) {
      case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_SEEKABLE;
      case ZIP_SOURCE_OPEN:
        position_ = 0;
        return 0;
      case ZIP_SOURCE_READ:
        return read(static_cast<char*>(data), length);
      case ZIP_SOURCE_SEEK:
        return seek(data, length);
      case ZIP_SOURCE_TELL:
        return static_cast<zip_int64_t>(position_);
      case ZIP_SOURCE_STAT: {
        zip_stat_t stat = {};
        stat.valid = ZIP_STAT_SIZE;
        stat.size = size_;
        std::memcpy(data, &stat, sizeof(stat));
        return sizeof(stat);
      }
      case ZIP_SOURCE_ERROR: {
        const int errors[] = {ZIP_ER_READ, EIO};
        std::memcpy(data, errors, sizeof(errors));
        return sizeof(errors);
      }
      case ZIP_SOURCE_CLOSE:
      case ZIP_SOURCE_FREE:
        return 0;
      default:
        return -1;
    }
  }

  zip_int64_t read(char* to, std::uint64_t length) {
    const std::uint64_t count = std::min(length, size_ - position_);
    try {
      read_(position_, {to, count});
    } catch (...) {  // exceptions must not pass through libzip, which is written in C
      failure_ = std::current_exception();
      return -1;
    }
    position_ += count;
    return static_cast<zip_int64_t>(count);
  }

  zip_int64_t seek(const void* data, std::uint64_t length) {
    zip_source_args_seek_t place = {};
    if (length < sizeof(place)) {
      return -1;
    }
    std::memcpy(&place, data, sizeof(place));
    const std::uint64_t start = place.whence == SEEK_SET ? 0 : place.whence == SEEK_CUR ? position_ : size_;
    std::int64_t position = 0;
    if (__builtin_add_overflow(static_cast<std::int64_t>(start), place.offset, &position) || position < 0 ||
        static_cast<std::uint64_t>(position) > size_) {
      return -1;
    }
    position_ = static_cast<std::uint64_t>(position);
    return 0;
  }

  void rethrow() {
    if (failure_) {
      std::rethrow_exception(std::exchange(failure_, nullptr));
    }
  }

  std::uint64_t size_;  ///< of the whole archive
  Read read_;
  std::uint64_t position_ = 0;
  std::exception_ptr failure_;
  zip_t* archive_ = nullptr;
};

ZipArchive::ZipArchive(std::shared_ptr<const StableFile> file, ZipContent content)
    : file_(file->path()), content_(content) {
  const std::uint64_t size = file->size();
  source_ = std::make_unique<Source>(
      size, [file = std::move(file)](std::uint64_t offset, std::span<char> to) { file->read(offset, to); });
  read_directory();
}

ZipArchive::ZipArchive(std::string_view bytes, const std::filesystem::path& name)
    : file_(name), source_(std::make_unique<Source>(bytes.size(), [bytes](std::uint64_t offset, std::span<char> to) {
        bytes.copy(to.data(), to.size(), offset);
      })) {
  read_directory();
}

ZipArchive::~ZipArchive() = default;

void ZipArchive::fail(std::string_view what) const {
  throw CheckpointError(fmt::format("{}: {}", file_.string(), what));
}

void ZipArchive::read_directory() {
  // libzip would accept an empty file as an archive without entries.
  const int error = source_->size() == 0 ? ZIP_ER_NOZIP : source_->open();
  if (error == ZIP_ER_NOZIP) {
    fail("truncated or damaged zip archive: its central directory, which stands at the end, is missing");
  }
  if (error == ZIP_ER_INCONS) {
    fail("damaged zip archive: its central directory, which stands at the end, does not fit its entries");
  }
  if (error == ZIP_ER_EXISTS) {
    fail("damaged zip archive: it names an entry twice");
  }
  if (error != ZIP_ER_OK) {
    fail(fmt::format("damaged zip archive: its central directory is not readable (libzip's error {})", error));
  }
  zip_t* const archive = source_->archive();
  const auto count = static_cast<std::uint64_t>(zip_get_num_entries(archive, 0));
  for (std::uint64_t index = 0; index < count; ++index) {
    const char* const name = zip_get_name(archive, index, ZIP_FL_ENC_RAW);
    zip_stat_t stat = {};
    if (name == nullptr || zip_stat_index(archive, index, 0, &stat) != 0) {
      fail(fmt::format("damaged zip archive: entry {} of {} of its central directory is not readable", index + 1,
                       count));
    }
    const Entry entry{.index = index,
                      .method = stat.comp_method,
                      .encrypted = stat.encryption_method != ZIP_EM_NONE,
                      .crc32 = stat.crc,
                      .compressed_size = stat.comp_size,
                      .size = stat.size};
    has_checksums_ = has_checksums_ || entry.crc32 != 0;
    if (!entries_.emplace(name, entry).second) {
      fail("damaged zip archive: it names an entry twice");
    }
  }
}

std::vector<std::string> ZipArchive::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) {
    names.push_back(name);
  }
  return names;
}

const ZipArchive::Entry& ZipArchive::find(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    fail(fmt::format("damaged: its entry \"{}\" is missing", shown(name)));
  }
  const Entry& entry = found->second;
  if (entry.encrypted) {
    fail(fmt::format("its entry \"{}\" is encrypted", shown(name)));
  }
  constexpr std::uint64_t kMostTimesSmaller = 100;
  if (content_ == ZipContent::kDeflated && entry.method == ZIP_CM_DEFLATE) {
    if (entry.compressed_size > source_->size() || entry.size / kMostTimesSmaller > entry.compressed_size) {
      fail(fmt::format("its entry \"{}\" would have {} bytes, out of {} compressed ones: no model is that regular",
                       shown(name), entry.size, entry.compressed_size));
    }
    return entry;
  }
  if (entry.method != ZIP_CM_STORE) {
    fail(
        fmt::format("its entry \"{}\" is compressed (method {}), which is not supported here: unpack it with unzip "
                    "and pack it with zip -0 -r",
                    shown(name), entry.method));
  }
  if (entry.size != entry.compressed_size || entry.size > source_->size()) {
    fail(fmt::format("damaged: no entry \"{}\" at its place", shown(name)));
  }
  return entry;
}

std::uint64_t ZipArchive::size(const std::string& name) const { return find(name).size; }

void ZipArchive::read(const std::string& name, std::span<char> to) const {
  const Entry& entry = find(name);
  const std::span<char> content = to.first(entry.size);
  if (!source_->read_entry(entry.index, /*inflated=*/entry.method != ZIP_CM_STORE, content)) {
    fail(fmt::format("damaged: its entry \"{}\" is cut", shown(name)));
  }
  // Checked here since libzip would reject archives without checksums.
  const std::uint32_t found = has_checksums_ ? crc32({content.data(), content.size()}) : entry.crc32;
  if (found != entry.crc32) {
    fail(fmt::format("damaged: the CRC-32 of its entry \"{}\" is {:08x}, the archive says {:08x}", shown(name), found,
                     entry.crc32));
  }
}

std::string ZipArchive::read(const std::string& name) const {
  std::string content(size(name), '\0');
  read(name, content);
  return content;
}

}  // namespace translate::tools
