#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "core/file.h"
#include "core/file_lock.h"
#include "core/logging.h"

namespace translate::trainer {

/// Waits until no other process makes this file, and keeps others from it while the lock is held; `waited` tells
/// whether one did.
[[nodiscard]] FileLock lock_for_writing(const std::filesystem::path& file, bool& waited);

/// Returns what a file holds, which is made if need be: what open(file) returns, unless that is null; otherwise what
/// make(file) returns. If `scratch` is given, it is made instead of `file`. Other processes may do the same at the same
/// time: one of them makes the file, the others wait for it. `reused` is logged if the file is there: "alignment: using
/// the links".
template <typename Open, typename Make>
[[nodiscard]] auto get_or_make(const std::filesystem::path& file, const std::filesystem::path& scratch,
                               std::string_view reused, const Open& open, const Make& make) -> decltype(make(file)) {
  if (auto found = open(file)) {
    log_info(fmt::format("{} in {} again", reused, file.string()));
    return found;
  }
  const std::filesystem::path& place = scratch.empty() ? file : scratch;
  make_folder(place.parent_path());
  bool waited = false;
  const FileLock lock = lock_for_writing(place, waited);
  if (waited) {
    if (auto found = open(place)) {
      return found;  // the other process has made it
    }
  }
  return make(place);
}

}  // namespace translate::trainer
