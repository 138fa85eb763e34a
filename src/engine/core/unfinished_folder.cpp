#include "core/unfinished_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/logging.h"
#include "core/system/system_calls.h"

namespace translate {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_to_write(const fs::path& path, const std::error_code& error) {
  throw RuntimeError(fmt::format("cannot write {}: {}", path.string(), error.message()));
}

}  // namespace

fs::path checked_output(const fs::path& output, bool replace, const OutputKind& kind) {
  auto path = normalized_path(output);
  const auto name = path.filename();
  if (name.empty() || name == "." || name == "..") {
    throw ConfigError(fmt::format("\"{}\" is not the name of an output", output.string()));
  }
  std::error_code ignored;
  if (!fs::is_directory(folder_of(path), ignored)) {
    throw ConfigError(fmt::format("{}: there is no such folder; create it first", folder_of(path).string()));
  }
  if (!fs::exists(fs::symlink_status(path, ignored))) {
    return path;
  }
  if (!replace) {
    throw ConfigError(fmt::format("{} exists already: choose another name{}", path.string(),
                                  kind.matches ? ", or replace it with --force" : ""));
  }
  if (!kind.matches(path)) {
    throw ConfigError(
        fmt::format("{} is not {}, so --force does not replace it; choose another name", path.string(), kind.name));
  }
  return path;
}

UnfinishedFolder::UnfinishedFolder(fs::path name)
    : name_(std::move(name)),
      path_(folder_of(name_) / fmt::format(".tmp-{}-{}", name_.filename().string(), ::getpid())) {
  std::error_code error;
  fs::remove_all(path_, error);  // a leftover of an earlier process with the same number
  if (fs::create_directory(path_, error)) {
    return;
  }
  fail_to_write(path_, error ? error : std::make_error_code(std::errc::file_exists));
}

UnfinishedFolder::~UnfinishedFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
  if (error) {
    log_warning(fmt::format("cannot delete {}: {}", path_.string(), error.message()));
  }
}

void UnfinishedFolder::finish() const {
  sync_directory(path_);
  rename();
  sync_directory(folder_of(name_));
}

void UnfinishedFolder::rename() const {
  if (::rename(path_.c_str(), name_.c_str()) == 0) {
    return;
  }
  if (errno == ENOTEMPTY || errno == EEXIST) {
    errno = exchange_paths(path_, name_);
    if (errno == 0) {
      return;
    }
    if (errno == EINVAL || errno == ENOSYS) {
      return replace();  // a file system (NFS) or a system that cannot exchange
    }
  }
  fail_to_write(name_, {errno, std::generic_category()});
}

/// The same in two moves; between them, neither folder has the name.
void UnfinishedFolder::replace() const {
  const fs::path aside = path_.string() + "-replaced";
  std::error_code error;
  std::error_code ignored;
  fs::rename(name_, aside, error);
  if (!error) {
    fs::rename(path_, name_, error);
    fs::rename(aside, error ? name_ : path_, ignored);  // back, or to the folder that the destructor removes
  }
  if (error) {
    fail_to_write(name_, error);
  }
}

}  // namespace translate
