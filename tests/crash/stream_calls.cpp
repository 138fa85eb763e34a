// Streams of <stdio.h> call the kernel inside libc, where no function can be put in their place. A stream that writes
// under the watched folder is therefore made anew, with functions of file_calls.cpp behind it.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>

#include "call_recorder.h"

namespace {

using file_calls::absolute_path;
using file_calls::CallRecorder;
using file_calls::path_of_file;

/// The open files of the streams that are made here.
class Streams {
 public:
  static Streams& instance() {
    static Streams& streams = *new Streams;
    return streams;
  }

  void add(FILE* stream, int file) {
    const std::lock_guard lock(mutex_);
    files_[stream] = file;
  }

  void remove(int file) {
    const std::lock_guard lock(mutex_);
    std::erase_if(files_, [&](const auto& entry) { return entry.second == file; });
  }

  /// Returns the file of the stream; -1 if the stream is another one.
  int file_of(FILE* stream) {
    const std::lock_guard lock(mutex_);
    const auto found = files_.find(stream);
    return found == files_.end() ? -1 : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<FILE*, int> files_;
};

int file_of(void* cookie) { return static_cast<int>(reinterpret_cast<std::intptr_t>(cookie)); }

ssize_t read_stream(void* cookie, char* buffer, size_t size) { return ::read(file_of(cookie), buffer, size); }

/// Repeats short writes as libc's own streams do; fewer bytes mean an error.
ssize_t write_stream(void* cookie, const char* bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t count = ::write(file_of(cookie), bytes + done, size - done);
    if (count < 0) {
      break;
    }
    done += static_cast<size_t>(count);
  }
  return static_cast<ssize_t>(done);
}

int seek_stream(void* cookie, off64_t* offset, int whence) {
  const off64_t found = ::lseek64(file_of(cookie), *offset, whence);
  if (found < 0) {
    return -1;
  }
  *offset = found;
  return 0;
}

int close_stream(void* cookie) {
  Streams::instance().remove(file_of(cookie));
  return ::close(file_of(cookie));
}

int flags_of(std::string_view mode) {
  const bool updates = mode.find('+') != std::string_view::npos;
  const int access = updates ? O_RDWR : mode.front() == 'r' ? O_RDONLY : O_WRONLY;
  const int creation = mode.front() == 'w' ? O_CREAT | O_TRUNC : mode.front() == 'a' ? O_CREAT | O_APPEND : 0;
  const int exclusive = mode.find('x') != std::string_view::npos ? O_EXCL : 0;
  const int inherited = mode.find('e') != std::string_view::npos ? O_CLOEXEC : 0;
  return access | creation | exclusive | inherited;
}

FILE* make_stream(int file, const char* mode) {
  auto* const cookie = reinterpret_cast<void*>(static_cast<std::intptr_t>(file));
  FILE* const stream = ::fopencookie(
      cookie, mode, {.read = read_stream, .write = write_stream, .seek = seek_stream, .close = close_stream});
  if (stream != nullptr) {
    Streams::instance().add(stream, file);
  }
  return stream;
}

template <class Function>
Function* next_function(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool writes(const char* mode) { return (flags_of(mode) & O_ACCMODE) != O_RDONLY; }

}  // namespace

extern "C" {

// NOLINTBEGIN: the names are libc's

FILE* fopen(const char* path, const char* mode) {
  static const auto libc_fopen = next_function<FILE*(const char*, const char*)>("fopen");
  if (!writes(mode) || !CallRecorder::instance().watches(absolute_path(AT_FDCWD, path))) {
    return libc_fopen(path, mode);
  }
  constexpr mode_t kMode = 0666;
  const int file = ::open(path, flags_of(mode), kMode);
  return file < 0 ? nullptr : make_stream(file, mode);
}

FILE* fopen64(const char* path, const char* mode) __attribute__((alias("fopen")));

FILE* fdopen(int file, const char* mode) {
  static const auto libc_fdopen = next_function<FILE*(int, const char*)>("fdopen");
  if (!writes(mode) || !CallRecorder::instance().watches(path_of_file(file))) {
    return libc_fdopen(file, mode);
  }
  return make_stream(file, mode);
}

int fileno(FILE* stream) {
  static const auto libc_fileno = next_function<int(FILE*)>("fileno");
  const int file = Streams::instance().file_of(stream);
  return file < 0 ? libc_fileno(stream) : file;
}

// NOLINTEND

}  // extern "C"
