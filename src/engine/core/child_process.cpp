#include "core/child_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>

#include "core/child.h"
#include "core/error.h"
#include "core/file_descriptor.h"
#include "core/stop_signal.h"
#include "core/system/allocator.h"
#include "core/system/system_calls.h"

namespace translate {

namespace {

// The first byte of the child's output; the rest is the result, or the text of an error.
constexpr char kResult = 'R';
constexpr char kError = 'E';
constexpr char kOutOfMemory = 'M';

volatile sig_atomic_t result_pipe = -1;  // in the child: for a terminate handler, which takes no argument

/// Returns false if the reader has closed the pipe. Allocates no memory.
bool write_all(int file, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file, bytes, size);
    if (written < 0 && errno != EINTR) {
      return false;
    }
    if (written > 0) {
      bytes += written;
      size -= static_cast<std::size_t>(written);
    }
  }
  return true;
}

/// Writes the current exception to the pipe, without allocating memory. A failure to start a thread counts as a lack of
/// memory, too.
void report_exception(int file) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    write_all(file, &kOutOfMemory, 1);
  } catch (const std::system_error& error) {
    const bool starved =
        error.code() == std::errc::resource_unavailable_try_again || error.code() == std::errc::not_enough_memory;
    write_all(file, starved ? &kOutOfMemory : &kError, 1);
    if (!starved) {
      write_all(file, error.what(), std::strlen(error.what()));
    }
  } catch (const std::exception& error) {
    write_all(file, &kError, 1);
    write_all(file, error.what(), std::strlen(error.what()));
  } catch (...) {
    write_all(file, &kError, 1);
  }
}

/// Handles exceptions in threads of the library. Several threads may call it at the same time: only one may report.
[[noreturn]] void end_child() {
  static std::atomic_flag reported = ATOMIC_FLAG_INIT;
  while (reported.test_and_set()) {
    ::pause();
  }
  if (std::current_exception()) {
    report_exception(static_cast<int>(result_pipe));
  }
  ::_exit(1);
}

[[noreturn]] void run_child(int file, pid_t parent, const std::function<std::string()>& work) {
  end_with_parent(SIGKILL);  // nobody would read the result
  if (::getppid() != parent) {
    ::_exit(1);
  }
  const rlimit no_core = {.rlim_cur = 0, .rlim_max = 0};
  (void)::setrlimit(RLIMIT_CORE, &no_core);
  (void)std::signal(SIGINT, SIG_IGN);  // the parent decides what a signal means
  (void)std::signal(SIGTERM, SIG_IGN);
  (void)std::signal(SIGPIPE, SIG_IGN);
  result_pipe = file;
  std::set_terminate(end_child);
  reserve_little_address_space();
  try {
    const std::string result = work();
    write_all(file, &kResult, 1);
    write_all(file, result.data(), result.size());
  } catch (...) {
    report_exception(file);
  }
  ::_exit(0);  // skips the destructors of objects that belong to the parent
}

/// Reads all bytes up to the end. Throws StoppedBySignal.
std::string read_all(int file) {
  constexpr int kMoment = 100;  // milliseconds: a signal may go to another thread and not interrupt this one
  std::string bytes;
  std::array<char, std::size_t{1} << 16U> buffer = {};
  while (true) {
    pollfd readable{.fd = file, .events = POLLIN, .revents = 0};
    const bool ready = ::poll(&readable, 1, kMoment) > 0;
    if (const auto signal = stop_signal()) {
      throw StoppedBySignal(*signal);
    }
    if (!ready) {
      continue;
    }
    const ssize_t count = ::read(file, buffer.data(), buffer.size());
    if (count == 0) {
      return bytes;
    }
    if (count > 0) {
      bytes.append(buffer.data(), static_cast<std::size_t>(count));
    }
  }
}

[[noreturn]] void fail_for_lack_of_memory(const std::string& name) {
  throw RuntimeError(
      fmt::format("out of memory while {}: raise the limit on memory (ulimit -v, or the control group's), "
                  "or use less text",
                  name));
}

}  // namespace

std::string in_child_process(const std::string& name, const std::function<std::string()>& work) {
  std::array<int, 2> ends = {};
  if (open_pipe(ends.data()) != 0) {
    throw RuntimeError(fmt::format("{}: no pipe can be opened: {}", name, std::generic_category().message(errno)));
  }
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t id = ::fork();
  if (id < 0) {
    throw RuntimeError(fmt::format("{}: no process can be started: {} (ulimit -u, or too little memory)", name,
                                   std::generic_category().message(errno)));
  }
  if (id == 0) {
    run_child(writing.number(), parent, work);
  }
  Child child(id);
  writing = FileDescriptor();
  std::string bytes = read_all(reading.number());
  const int status = child.wait();
  const char kind = bytes.empty() ? '\0' : bytes.front();
  if (kind == kResult && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    bytes.erase(0, 1);
    return bytes;
  }
  if (kind == kOutOfMemory || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)) {
    fail_for_lack_of_memory(name);
  }
  if (kind == kError) {
    throw RuntimeError(fmt::format("{}: {}", name, bytes.substr(1)));
  }
  throw RuntimeError(WIFSIGNALED(status)
                         ? fmt::format("{} {}", name, end_in_words(status))
                         : fmt::format("{} ended without a result (exit code {})", name, WEXITSTATUS(status)));
}

}  // namespace translate
