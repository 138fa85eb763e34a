#include "core/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
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

#include "core/allocator.h"
#include "core/error.h"
#include "core/file.h"

namespace translate {

void open_missing_standard_streams() noexcept {
  const auto open_where_missing = [](int number, int flags) {
    if (::fcntl(number, F_GETFD) < 0) {
      static_cast<void>(::open("/dev/null", flags));  // gets the lowest free number
    }
  };
  open_where_missing(STDIN_FILENO, O_WRONLY);
  open_where_missing(STDOUT_FILENO, O_RDONLY);  // results must not get lost without an error
  open_where_missing(STDERR_FILENO, O_WRONLY);
}

namespace {

// A handler may only touch lock-free atomics.
std::atomic<int> received{0};
std::atomic<bool> answered{false};  ///< stop_signal() has reported it
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

struct FolderAtStop {
  std::atomic<const char*> path{nullptr};
  std::atomic<pid_t> owner{0};  ///< a forked child must leave the folders of its parent alone
};
static_assert(std::atomic<const char*>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);
std::array<FolderAtStop, 4> removed_at_stop{};

using Handler = void (*)(int);

struct sigaction action_of(Handler handler) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;  // a write to the disk is completed, not interrupted
  sigemptyset(&action.sa_mask);
  for (const int signal : kStopSignals) {
    sigaddset(&action.sa_mask, signal);
  }
  return action;
}

/// Removes a folder by another program, because a handler must not read folders itself (signal-safety(7)).
void remove_from_handler(const char* folder) {
  const pid_t child = ::_Fork();
  if (child == 0) {
    ::execl("/bin/rm", "rm", "-rf", "--", folder, nullptr);
    ::_exit(1);
  }
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void end_at_once(int signal) {
  for (const auto& folder : removed_at_stop) {
    const char* path = folder.path.load();
    if (path != nullptr && folder.owner.load() == ::getpid()) {
      remove_from_handler(path);
    }
  }
  ::_exit(exit_code_of_signal(signal));
}

void note_signal(int signal) {
  int none = 0;
  if (received.compare_exchange_strong(none, signal) || signal == SIGHUP) {
    return;
  }
  const struct sigaction action = action_of(end_at_once);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool is_ignored(int signal) {
  struct sigaction action = {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

void end_with_exit_code_on_stop_signals() noexcept {
  const struct sigaction action = action_of(end_at_once);
  for (const int signal : kStopSignals) {
    if (!is_ignored(signal)) {
      sigaction(signal, &action, nullptr);
    }
  }
}

RemovedAtStop::RemovedAtStop(const std::filesystem::path& folder) : folder_(folder.string()) {
  for (auto& slot : removed_at_stop) {
    const char* none = nullptr;
    if (slot.path.compare_exchange_strong(none, folder_.c_str())) {
      slot.owner = ::getpid();
      return;
    }
  }
}

RemovedAtStop::~RemovedAtStop() {
  for (auto& slot : removed_at_stop) {
    const char* path = folder_.c_str();
    if (slot.path.compare_exchange_strong(path, nullptr)) {
      return;
    }
  }
}

void ignore_broken_pipes() noexcept { (void)std::signal(SIGPIPE, SIG_IGN); }

void ignore_file_size_signals() noexcept { (void)std::signal(SIGXFSZ, SIG_IGN); }

StopSignals::StopSignals() {
  received = 0;
  answered = false;
  const struct sigaction action = action_of(note_signal);
  for (std::size_t i = 0; i < kStopSignals.size(); ++i) {
    const int signal = kStopSignals[i];
    const bool is_left_alone = signal == SIGHUP && is_ignored(signal);
    if (sigaction(signal, is_left_alone ? nullptr : &action, &previous_[i]) != 0) {
      throw RuntimeError("cannot install a signal handler: " + std::generic_category().message(errno));
    }
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kStopSignals.size(); ++i) {
    sigaction(kStopSignals[i], &previous_[i], nullptr);
  }
  const bool has_failed = std::uncaught_exceptions() > 0;  // the error must be reported
  if (received != 0 && !answered && !has_failed) {
    (void)std::raise(received);
  }
}

std::optional<int> stop_signal() {
  const int signal = received;
  if (signal == 0) {
    return std::nullopt;
  }
  answered = true;
  return signal;
}

std::string signal_name(int signal) {
  switch (signal) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "signal " + std::to_string(signal);
  }
}

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
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would read the result
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

/// A child process; the destructor ends it and waits for it.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child(Child&&) = delete;
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (!waited_) {
      (void)::kill(id_, SIGKILL);
      (void)wait();
    }
  }

  /// Waits for the child and returns its status, as of waitpid.
  int wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    waited_ = true;
    return status;
  }

 private:
  pid_t id_;
  bool waited_ = false;
};

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
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
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
  throw RuntimeError(
      WIFSIGNALED(status)
          ? fmt::format("{} was ended by signal {} ({})", name, WTERMSIG(status), ::strsignal(WTERMSIG(status)))
          : fmt::format("{} ended without a result (exit code {})", name, WEXITSTATUS(status)));
}

std::filesystem::path executable_path(const std::filesystem::path& root) {
  std::error_code error;
  auto path = std::filesystem::read_symlink(root / "proc/self/exe", error);
  if (!error) {
    return path;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): getauxval returns the address as a number.
  const auto* started_as = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  path = std::filesystem::canonical(started_as != nullptr ? started_as : "", error);
  if (error) {
    throw RuntimeError("cannot find the folder of this program: /proc is not mounted");
  }
  return path;
}

std::filesystem::path executable_dir() { return executable_path().parent_path(); }

}  // namespace translate
