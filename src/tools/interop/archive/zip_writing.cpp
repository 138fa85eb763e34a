#include "interop/archive/zip_writing.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/output_file.h"

namespace translate::tools {

namespace fs = std::filesystem;

namespace {

/// A new archive, made in memory: if libzip writes a file itself, it gives up when a signal interrupts it, and its
/// error may lack the system's reason.
class NewArchive {
 public:
  /// `path`: where the archive will be, for messages.
  explicit NewArchive(const fs::path& path) : path_(path) {
    zip_error_t error = {};
    source_ = zip_source_buffer_create(nullptr, 0, /*freep=*/0, &error);
    if (source_ == nullptr) {
      fail(zip_error_strerror(&error));
    }
    zip_source_keep(source_);
    archive_ = zip_open_from_source(source_, ZIP_CREATE | ZIP_TRUNCATE, &error);
    if (archive_ == nullptr) {
      zip_source_free(source_);
      zip_source_free(source_);
      fail(zip_error_strerror(&error));
    }
  }
  ~NewArchive() {
    if (archive_ != nullptr) {
      zip_discard(archive_);
    }
    zip_source_free(source_);
  }
  NewArchive(const NewArchive&) = delete;
  NewArchive& operator=(const NewArchive&) = delete;

  /// Adds a file; it is read when the archive is closed.
  void add(const fs::path& file, const std::string& name) {
    zip_error_t error = {};
    (void)add(zip_source_file_create(file.c_str(), 0, -1, &error), error, name);
  }

  /// Adds a file that is not compressed; its content must stay until the archive is written.
  void add_stored(const std::string& content, const std::string& name) {
    zip_error_t error = {};
    const auto index = add(zip_source_buffer_create(content.data(), content.size(), /*freep=*/0, &error), error, name);
    if (zip_set_file_compression(archive_, index, ZIP_CM_STORE, 0) != 0) {
      fail_by_archive();
    }
  }

  /// Makes the archive of the files that were added, and writes it.
  void write() {
    if (zip_close(archive_) != 0) {
      fail_by_archive();
    }
    archive_ = nullptr;
    if (zip_source_open(source_) != 0) {
      fail_by_source();
    }
    OutputFile file(path_);
    std::string bytes(kBytesAtOnce, '\0');
    zip_int64_t count = 0;
    while ((count = zip_source_read(source_, bytes.data(), bytes.size())) > 0) {
      file.write(std::string_view(bytes).substr(0, static_cast<std::size_t>(count)));
    }
    if (count < 0) {
      fail_by_source();
    }
    static_cast<void>(file.finish());
    zip_source_close(source_);
  }

 private:
  static constexpr std::size_t kBytesAtOnce = std::size_t{1} << 20;

  /// Adds a source, or fails with `error` if there is none; returns its index.
  [[nodiscard]] zip_uint64_t add(zip_source_t* source, zip_error_t& error, const std::string& name) {
    if (source == nullptr) {
      fail(zip_error_strerror(&error));
    }
    const auto index = zip_file_add(archive_, name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      fail_by_archive();
    }
    return static_cast<zip_uint64_t>(index);
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw RuntimeError(fmt::format("cannot write {}: {}", path_.string(), reason));
  }
  [[noreturn]] void fail_by_archive() const { fail(zip_error_strerror(zip_get_error(archive_))); }
  [[noreturn]] void fail_by_source() const { fail(zip_error_strerror(zip_source_error(source_))); }

  fs::path path_;
  zip_source_t* source_ = nullptr;
  zip_t* archive_ = nullptr;
};

}  // namespace

void write_zip(const fs::path& archive, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  NewArchive zip(archive);
  for (const auto& file : files) {
    zip.add(file, (folder.filename() / file.lexically_relative(folder)).generic_string());
  }
  zip.write();
}

void write_stored_zip(const fs::path& archive, const std::vector<ZipFile>& files) {
  NewArchive zip(archive);
  for (const auto& [name, content] : files) {
    zip.add_stored(content, name);
  }
  zip.write();
}

}  // namespace translate::tools
