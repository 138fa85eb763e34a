// A library for LD_PRELOAD: it takes the place of libc's functions that write files and folders, and hands those calls
// that concern the watched folder to the CallRecorder. All others go straight to the kernel.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <string>
#include <string_view>
#include <vector>

#include "call_recorder.h"

namespace {

using file_calls::absolute_path;
using file_calls::Call;
using file_calls::CallKind;
using file_calls::CallRecorder;
using file_calls::path_of_file;
using file_calls::SystemCall;

constexpr CallKind kOpen{.name = "open", .is_interruptible = true};
constexpr CallKind kCreate{.name = "open", .needs_space = true, .is_interruptible = true};
constexpr CallKind kWrite{.name = "write", .writes_bytes = true, .needs_space = true, .is_interruptible = true};
constexpr CallKind kSync{.name = "fsync", .is_interruptible = true};
constexpr CallKind kTruncate{.name = "truncate", .is_interruptible = true};
constexpr CallKind kAllocate{.name = "fallocate", .needs_space = true, .is_interruptible = true};
constexpr CallKind kClose{.name = "close"};
constexpr CallKind kRename{.name = "rename"};
constexpr CallKind kExchange{.name = "exchange"};
constexpr CallKind kMakeFolder{.name = "mkdir", .needs_space = true};
constexpr CallKind kUnlink{.name = "unlink"};
constexpr CallKind kRemoveFolder{.name = "rmdir"};
constexpr CallKind kLink{.name = "link", .needs_space = true};

/// A call on a path.
std::int64_t on_path(Call call, const SystemCall& system_call) {
  auto& recorder = CallRecorder::instance();
  return recorder.watches(call.path) ? recorder.make(call, system_call) : system_call(call.bytes.size());
}

/// A call on an open file.
std::int64_t on_file(Call call, const SystemCall& system_call) {
  const int error = errno;
  call.path = path_of_file(call.file);
  errno = error;
  return on_path(std::move(call), system_call);
}

bool may_write(int file) {
  const int flags = ::fcntl(file, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/// Where the next byte is written.
std::int64_t write_offset(int file) {
  struct stat status = {};
  const bool appends = (::fcntl(file, F_GETFL) & O_APPEND) != 0;
  if (appends && ::fstat(file, &status) == 0) {
    return status.st_size;
  }
  return ::lseek(file, 0, SEEK_CUR);
}

int open_file(int folder, const char* path, int flags, mode_t mode) {
  const auto open = [&](std::size_t) { return ::syscall(SYS_openat, folder, path, flags | O_LARGEFILE, mode); };
  const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
  if (!writes) {
    return static_cast<int>(open(0));
  }
  struct stat status = {};
  const bool is_new = (flags & O_CREAT) != 0 && ::fstatat(folder, path, &status, 0) != 0;
  std::string note = is_new ? "create" : "";
  if ((flags & O_TRUNC) != 0) {
    note += " truncate";
  }
  return static_cast<int>(
      on_path({.kind = is_new ? kCreate : kOpen, .path = absolute_path(folder, path), .note = std::move(note)}, open));
}

std::int64_t write_at(int file, std::string_view bytes, std::int64_t offset, const SystemCall& system_call) {
  return on_file({.kind = kWrite, .file = file, .offset = offset, .bytes = bytes}, system_call);
}

int rename_path(int old_folder, const char* old_path, int new_folder, const char* new_path, unsigned flags) {
  const bool exchanges = (flags & RENAME_EXCHANGE) != 0;
  return static_cast<int>(on_path(
      {.kind = exchanges ? kExchange : kRename,
       .path = absolute_path(old_folder, old_path),
       .other_path = absolute_path(new_folder, new_path)},
      [&](std::size_t) { return ::syscall(SYS_renameat2, old_folder, old_path, new_folder, new_path, flags); }));
}

int unlink_path(int folder, const char* path, int flags) {
  return static_cast<int>(
      on_path({.kind = (flags & AT_REMOVEDIR) != 0 ? kRemoveFolder : kUnlink, .path = absolute_path(folder, path)},
              [&](std::size_t) { return ::syscall(SYS_unlinkat, folder, path, flags); }));
}

int truncate_file(int file, off_t size) {
  return static_cast<int>(on_file({.kind = kTruncate, .file = file, .offset = size},
                                  [&](std::size_t) { return ::syscall(SYS_ftruncate, file, size); }));
}

int sync_file(int file, long number) {
  return static_cast<int>(on_file({.kind = kSync, .file = file}, [&](std::size_t) { return ::syscall(number, file); }));
}

}  // namespace

extern "C" {

// NOLINTBEGIN: the names are libc's

int openat(int folder, const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const auto mode = static_cast<mode_t>((flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0);
  va_end(arguments);
  return open_file(folder, path, flags, mode);
}

int open(const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const auto mode = static_cast<mode_t>((flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, int) : 0);
  va_end(arguments);
  return open_file(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char* path, int flags, ...) __attribute__((alias("openat")));
int __open_2(const char* path, int flags) { return open_file(AT_FDCWD, path, flags, 0); }
int __open64_2(const char* path, int flags) { return open_file(AT_FDCWD, path, flags, 0); }
int __openat_2(int folder, const char* path, int flags) { return open_file(folder, path, flags, 0); }
int __openat64_2(int folder, const char* path, int flags) { return open_file(folder, path, flags, 0); }
int creat(const char* path, mode_t mode) { return open_file(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }
int creat64(const char* path, mode_t mode) { return open_file(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }

ssize_t write(int file, const void* bytes, size_t size) {
  return write_at(file, {static_cast<const char*>(bytes), size}, write_offset(file),
                  [&](std::size_t length) { return ::syscall(SYS_write, file, bytes, length); });
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
  return write_at(file, {static_cast<const char*>(bytes), size}, offset,
                  [&](std::size_t length) { return ::syscall(SYS_pwrite64, file, bytes, length, offset); });
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) __attribute__((alias("pwrite")));

// As one write of all the bytes: nothing here depends on their number of buffers.
ssize_t writev(int file, const iovec* buffers, int count) {
  std::string bytes;
  for (const iovec* buffer = buffers; buffer != buffers + count; ++buffer) {
    bytes.append(static_cast<const char*>(buffer->iov_base), buffer->iov_len);
  }
  return write(file, bytes.data(), bytes.size());
}

int fsync(int file) { return sync_file(file, SYS_fsync); }
int fdatasync(int file) { return sync_file(file, SYS_fdatasync); }

int ftruncate(int file, off_t size) { return truncate_file(file, size); }
int ftruncate64(int file, off64_t size) { return truncate_file(file, size); }

int truncate(const char* path, off_t size) {
  return static_cast<int>(on_path({.kind = kTruncate, .path = absolute_path(AT_FDCWD, path), .offset = size},
                                  [&](std::size_t) { return ::syscall(SYS_truncate, path, size); }));
}

int truncate64(const char* path, off64_t size) __attribute__((alias("truncate")));

int fallocate(int file, int mode, off_t offset, off_t size) {
  return static_cast<int>(on_file({.kind = kAllocate, .file = file, .offset = offset},
                                  [&](std::size_t) { return ::syscall(SYS_fallocate, file, mode, offset, size); }));
}

int fallocate64(int file, int mode, off64_t offset, off64_t size) __attribute__((alias("fallocate")));

int close(int file) {
  const auto close_it = [&](std::size_t) { return ::syscall(SYS_close, file); };
  if (!may_write(file)) {
    return static_cast<int>(close_it(0));
  }
  return static_cast<int>(on_file({.kind = kClose, .file = file}, close_it));
}

int rename(const char* from, const char* to) { return rename_path(AT_FDCWD, from, AT_FDCWD, to, 0); }

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  return rename_path(from_folder, from, to_folder, to, 0);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  return rename_path(from_folder, from, to_folder, to, flags);
}

int mkdirat(int folder, const char* path, mode_t mode) {
  return static_cast<int>(on_path({.kind = kMakeFolder, .path = absolute_path(folder, path)},
                                  [&](std::size_t) { return ::syscall(SYS_mkdirat, folder, path, mode); }));
}

int mkdir(const char* path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int unlinkat(int folder, const char* path, int flags) { return unlink_path(folder, path, flags); }
int unlink(const char* path) { return unlink_path(AT_FDCWD, path, 0); }
int rmdir(const char* path) { return unlink_path(AT_FDCWD, path, AT_REMOVEDIR); }

int remove(const char* path) {
  struct stat status = {};
  const bool is_folder = ::lstat(path, &status) == 0 && S_ISDIR(status.st_mode);
  return is_folder ? rmdir(path) : unlink(path);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  return static_cast<int>(
      on_path({.kind = kLink, .path = absolute_path(from_folder, from), .other_path = absolute_path(to_folder, to)},
              [&](std::size_t) { return ::syscall(SYS_linkat, from_folder, from, to_folder, to, flags); }));
}

int link(const char* from, const char* to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int symlinkat(const char* target, int folder, const char* path) {
  return static_cast<int>(on_path({.kind = kLink, .path = absolute_path(folder, path), .note = "symbolic"},
                                  [&](std::size_t) { return ::syscall(SYS_symlinkat, target, folder, path); }));
}

int symlink(const char* target, const char* path) { return symlinkat(target, AT_FDCWD, path); }

// NOLINTEND

}  // extern "C"
