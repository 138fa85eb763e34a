#include "core/held_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/file_descriptor.h"
#include "core/system/system_calls.h"

namespace translate {

namespace {

/// Whether `path` names the open file. Nothing if the file system does not say.
std::optional<bool> names(const std::filesystem::path& path, const FileDescriptor& file) {
  struct stat opened = {};
  struct stat found = {};
  if (::fstat(file.number(), &opened) != 0) {
    return std::nullopt;
  }
  if (::stat(path.c_str(), &found) != 0) {
    return errno == ENOENT || errno == ENOTDIR || errno == ESTALE ? std::optional(false) : std::nullopt;
  }
  return opened.st_dev == found.st_dev && opened.st_ino == found.st_ino;
}

}  // namespace

std::optional<HeldFolder> HeldFolder::try_hold(const std::filesystem::path& folder,
                                               const std::filesystem::path& lock_name) {
  FileDescriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.number() < 0) {
    throw RuntimeError(
        fmt::format("cannot open the folder {}: {}", folder.string(), std::generic_category().message(errno)));
  }
  auto lock = FileLock::try_lock(folder / lock_name);
  if (!lock) {
    return std::nullopt;
  }
  return HeldFolder(folder, lock_name, std::move(opened), std::move(*lock));
}

HeldFolder::State HeldFolder::state() const {
  if (names(folder_, opened_).value_or(true)) {
    return names(folder_ / lock_name_, lock_.descriptor()).value_or(true) ? State::kInPlace : State::kLockGone;
  }
  const auto now = current_path();
  const bool is_held = now && names(*now / lock_name_, lock_.descriptor()).value_or(false);
  return is_held ? State::kMoved : State::kFolderGone;
}

std::optional<std::filesystem::path> HeldFolder::current_path() const {
  auto path = path_of_open_file(opened_.number()).value_or(folder_);
  return names(path, opened_).value_or(false) ? std::optional(std::move(path)) : std::nullopt;
}

}  // namespace translate
