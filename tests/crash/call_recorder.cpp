#include "call_recorder.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace file_calls {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

[[noreturn]] void kill_process() {
  ::syscall(SYS_kill, ::getpid(), SIGKILL);
  std::abort();  // not reached
}

std::uint64_t inode_of(const Call& call) {
  struct stat status = {};
  const int failed = call.file >= 0 ? ::fstat(call.file, &status) : ::lstat(call.path.c_str(), &status);
  return failed == 0 ? status.st_ino : 0;
}

}  // namespace

std::string path_of_file(int file) {
  char path[PATH_MAX];
  const auto link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t length = ::readlink(link.c_str(), path, sizeof(path));
  std::string found(path, static_cast<std::size_t>(length < 0 ? 0 : length));
  constexpr std::string_view kDeleted = " (deleted)";
  if (found.ends_with(kDeleted)) {
    found.resize(found.size() - kDeleted.size());
  }
  return found;
}

std::string absolute_path(int folder, const char* path) {
  std::filesystem::path absolute(path == nullptr ? "" : path);
  if (absolute.is_relative()) {
    char current[PATH_MAX];
    const bool is_current = folder == AT_FDCWD;
    const auto base = !is_current ? path_of_file(folder) : ::getcwd(current, sizeof(current)) ? current : "";
    absolute = base / absolute;
  }
  auto normal = absolute.lexically_normal().string();
  if (normal.size() > 1 && normal.ends_with('/')) {
    normal.pop_back();
  }
  return normal;
}

CallRecorder& CallRecorder::instance() {
  static CallRecorder& recorder = *new CallRecorder;
  return recorder;
}

CallRecorder::CallRecorder()
    : root_(variable("FILE_CALLS_ROOT")),
      plan_(variable("FILE_CALLS_PLAN")),
      with_data_(!variable("FILE_CALLS_DATA").empty()),
      process_(::getpid()) {
  if (const auto log = variable("FILE_CALLS_LOG"); !log.empty()) {
    log_ =
        static_cast<int>(::syscall(SYS_openat, AT_FDCWD, log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  }
}

bool CallRecorder::watches(std::string_view path) const {
  if (root_.empty() || process_ != ::getpid() || !path.starts_with(root_)) {
    return false;
  }
  return path.size() == root_.size() || path[root_.size()] == '/';
}

std::int64_t CallRecorder::make(const Call& call, const SystemCall& system_call) {
  const std::lock_guard lock(mutex_);
  const auto treatment = plan_.next(++number_, call.kind);
  const auto inode_before = inode_of(call);
  const std::int64_t result = treat(treatment, call, system_call);
  const int error = result < 0 ? errno : 0;
  auto inode = inode_before;
  if (inode == 0 && result >= 0) {  // it has just been created
    auto created = call;
    if (call.kind.name == "open") {
      created.file = static_cast<int>(result);
    }
    inode = inode_of(created);
  }
  record(call, inode, result, error);
  errno = error;
  return result;
}

std::int64_t CallRecorder::treat(Treatment treatment, const Call& call, const SystemCall& system_call) {
  const std::size_t length = call.bytes.size();
  const std::size_t half = length > 1 ? length / 2 : length;
  switch (treatment) {
    case Treatment::kRun:
      return system_call(length);
    case Treatment::kKill:
      kill_process();
    case Treatment::kHalfThenKill:
      static_cast<void>(system_call(half));
      kill_process();
    case Treatment::kHalf:
      return system_call(half);
    case Treatment::kFail:
      break;
  }
  if (call.kind.name == "close") {
    static_cast<void>(system_call(0));  // the file is closed all the same
  }
  errno = plan_.error();
  return -1;
}

void CallRecorder::record(const Call& call, std::uint64_t inode, std::int64_t result, int error) const {
  if (log_ < 0) {
    return;
  }
  const auto written = call.kind.writes_bytes && result > 0 ? static_cast<std::size_t>(result) : 0;
  auto line = std::to_string(number_);
  const auto data = with_data_ ? call.bytes.substr(0, written) : std::string_view();
  for (const std::string& field : {std::string(call.kind.name), call.path, call.other_path, call.note,
                                   std::to_string(inode), std::to_string(call.offset), std::to_string(written),
                                   std::to_string(result), std::to_string(error), std::to_string(data.size())}) {
    line += '\t';
    line += field;
  }
  line += '\n';
  line += data;
  // A file of its own, which is not watched: a failure would be seen as a record that is missing.
  static_cast<void>(::syscall(SYS_write, log_, line.data(), line.size()));
}

}  // namespace file_calls
