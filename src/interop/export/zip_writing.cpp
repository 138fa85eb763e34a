#include "interop/export/zip_writing.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "core/file.h"
#include "core/libraries/loaded_libraries.h"

namespace translate {

namespace fs = std::filesystem;

namespace {

/// An archive that is discarded unless it was closed.
class NewArchive {
 public:
  explicit NewArchive(const fs::path& path) : path_(path) {
    int error = 0;
    archive_ = libzip().open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
    if (archive_ == nullptr) fail(fmt::format("libzip's error {}", error));
  }
  ~NewArchive() {
    if (archive_ != nullptr) libzip().discard(archive_);
  }
  NewArchive(const NewArchive&) = delete;
  NewArchive& operator=(const NewArchive&) = delete;

  /// Adds a file; it is read when the archive is closed.
  void add(const fs::path& file, const std::string& name) {
    zip_error_t error = {};
    zip_source_t* const source = libzip().source_file_create(file.c_str(), 0, -1, &error);
    if (source == nullptr) fail(libzip().error_strerror(&error));
    if (libzip().file_add(archive_, name.c_str(), source, ZIP_FL_ENC_UTF_8) < 0) {
      libzip().source_free(source);
      fail_by_archive();
    }
  }

  void close() {
    if (libzip().close(archive_) != 0) fail_by_archive();
    archive_ = nullptr;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw RuntimeError(fmt::format("cannot write {}: {}", path_.string(), reason));
  }
  [[noreturn]] void fail_by_archive() const { fail(libzip().error_strerror(libzip().get_error(archive_))); }

  fs::path path_;
  zip_t* archive_ = nullptr;
};

/// Flushes a file that another library has written.
void sync_file(const fs::path& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0 || ::fsync(file.number()) != 0) {
    throw RuntimeError(
        fmt::format("cannot write {}: {}", path.string(), std::error_code(errno, std::generic_category()).message()));
  }
}

}  // namespace

void write_zip(const fs::path& archive, const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  NewArchive zip(archive);
  for (const auto& file : files) {
    zip.add(file, (folder.filename() / file.lexically_relative(folder)).generic_string());
  }
  zip.close();
  sync_file(archive);
}

}  // namespace translate
