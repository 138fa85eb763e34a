#include "processes/process_launcher.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <thread>

#include "core/error.h"
#include "core/logging.h"
#include "core/process.h"
#include "core/stop_signal.h"
#include "core/system/system_calls.h"
#include "processes/process_place.h"

namespace translate::trainer {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kTimeToNotice = std::chrono::seconds(20);  // for the other processes, after one has failed
constexpr auto kTimeToStop = std::chrono::seconds(30);    // after SIGTERM, as torchrun and Kubernetes give
constexpr auto kPoll = std::chrono::milliseconds(20);

RuntimeError cannot_start(const char* action) {
  return RuntimeError(fmt::format("--processes: cannot {}: {}", action, std::strerror(errno)));
}

/// A socket that listens at a free port of this machine's loopback address, to be inherited by the process of rank 0:
/// no other program can take the port in between.
class StoreSocket {
 public:
  StoreSocket() : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (descriptor_ < 0 || ::bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::listen(descriptor_, SOMAXCONN) != 0 ||
        ::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw cannot_start("open a port for the processes to find each other");
    }
    port_ = ntohs(address.sin_port);
  }
  ~StoreSocket() { ::close(descriptor_); }
  StoreSocket(const StoreSocket&) = delete;
  StoreSocket& operator=(const StoreSocket&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] int port() const { return port_; }

 private:
  int descriptor_;
  int port_ = 0;
};

/// The processes that were started, by rank.
class Processes {
 public:
  Processes(int count, const std::vector<std::string>& argv) : size_(count) {
    const StoreSocket socket;
    for (int rank = 0; rank < count; ++rank) {
      start(rank, argv, socket);
    }
  }

  /// Waits for all processes and returns the exit code of the whole.
  int wait() {
    while (running_ > 0) {
      pass_on_signal();
      collect();
      end_late_ones();
      std::this_thread::sleep_for(kPoll);
    }
    return exit_code_;
  }

 private:
  void start(int rank, const std::vector<std::string>& argv, const StoreSocket& socket) {
    const auto parent = ::getpid();
    const auto child = ::fork();
    if (child < 0) {
      signal_all(SIGKILL);
      throw cannot_start("start a process");
    }
    if (child == 0) {
      // In a process group of its own, a process gets Ctrl-C once, from this program, and not from the terminal, too.
      ::setpgid(0, 0);
      end_with_parent(SIGTERM);
      if (::getppid() != parent) {
        ::_exit(static_cast<int>(ExitCode::kFailed));
      }
      run(rank, argv, socket);
    }
    children_.push_back(child);
    ++running_;
  }

  [[noreturn]] void run(int rank, const std::vector<std::string>& argv, const StoreSocket& socket) const {
    const auto set = [](const char* name, const std::string& value) { ::setenv(name, value.c_str(), /*replace=*/1); };
    set(kLaunchedVariable, "1");
    set("RANK", std::to_string(rank));
    set("LOCAL_RANK", std::to_string(rank));
    set("WORLD_SIZE", std::to_string(size_));
    set("LOCAL_WORLD_SIZE", std::to_string(size_));
    set("MASTER_ADDR", "127.0.0.1");
    set("MASTER_PORT", std::to_string(socket.port()));
    if (!environment_variable("GLOO_SOCKET_IFNAME")) {
      set("GLOO_SOCKET_IFNAME", "lo");
    }
    if (rank == 0) {
      set(kStoreSocketVariable, std::to_string(socket.descriptor()));
    } else {
      ::close(socket.descriptor());
    }
    std::vector<char*> arguments;
    arguments.reserve(argv.size() + 1);
    for (const auto& argument : argv) {
      arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    ::execv("/proc/self/exe", arguments.data());
    ::execv(executable_path().c_str(), arguments.data());  // where /proc is not mounted
    ::_exit(static_cast<int>(ExitCode::kFailed));
  }

  void signal_all(int signal) {
    for (const auto child : children_) {
      if (child > 0) {
        ::kill(child, signal);
      }
    }
  }

  /// Passes on a stop signal, which all processes answer by saving a checkpoint and ending with its exit code.
  void pass_on_signal() {
    if (const auto signal = stop_signal(); signal && !stopped_) {
      stopped_ = true;
      signal_all(*signal);
    }
  }

  void collect() {
    int status = 0;
    for (std::size_t rank = 0; rank < children_.size(); ++rank) {
      if (children_[rank] == 0 || ::waitpid(children_[rank], &status, WNOHANG | WUNTRACED) != children_[rank]) {
        continue;
      }
      if (WIFSTOPPED(status)) {
        stopped_children_.insert(children_[rank]);
        continue;
      }
      children_[rank] = 0;
      --running_;
      ended(static_cast<int>(rank), status);
    }
  }

  void ended(int rank, int status) {
    const bool by_signal = WIFSIGNALED(status);
    const int code = by_signal ? static_cast<int>(ExitCode::kFailed) : WEXITSTATUS(status);
    if (by_signal && !failed_at_) {
      log_error(fmt::format("--processes: the process of rank {} was ended by signal {} ({}); the others stop", rank,
                            WTERMSIG(status), ::strsignal(WTERMSIG(status))));
    }
    if (code != 0 && !failed_at_) {
      exit_code_ = code;
      failed_at_ = Clock::now();
    }
  }

  /// After a failure, ends the processes that have not noticed it by themselves.
  void end_late_ones() {
    if (!failed_at_) {
      return;
    }
    const auto waited = Clock::now() - *failed_at_;
    const auto is_stopped = [this](pid_t child) { return child == 0 || stopped_children_.contains(child); };
    if (waited >= kTimeToNotice + kTimeToStop || std::ranges::all_of(children_, is_stopped)) {
      signal_all(SIGKILL);  // a process that has been stopped (SIGSTOP) cannot notice anything else
    } else if (waited >= kTimeToNotice && !asked_to_stop_) {
      asked_to_stop_ = true;
      signal_all(SIGTERM);
    }
  }

  int size_;
  std::vector<pid_t> children_;       ///< by rank; 0: has ended
  std::set<pid_t> stopped_children_;  ///< by a signal such as SIGSTOP; some may have been continued
  int running_ = 0;
  int exit_code_ = 0;
  bool stopped_ = false;
  bool asked_to_stop_ = false;
  std::optional<Clock::time_point> failed_at_;
};

}  // namespace

int launch_processes(int count, const std::vector<std::string>& argv) {
  const StopSignals signals;
  return Processes(count, argv).wait();
}

}  // namespace translate::trainer
