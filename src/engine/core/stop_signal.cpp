#include "core/stop_signal.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <system_error>

#include "core/error.h"

namespace translate {

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

}  // namespace translate
