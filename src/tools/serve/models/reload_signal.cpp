#include "serve/models/reload_signal.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>

#include "core/error.h"

namespace translate::tools {

namespace {

using Handler = void (*)(int);

// A handler may only touch lock-free atomics.
std::atomic<bool> requested{false};
std::atomic<Handler> at_hang_up{nullptr};  ///< what a closed terminal calls; null: there is no terminal to close
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<Handler>::is_always_lock_free);

/// Whether the process has a terminal; may be called in a handler.
bool has_terminal() {
  const int terminal = ::open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
  if (terminal >= 0) {
    ::close(terminal);
  }
  return terminal >= 0;
}

void note_signal(int signal) {
  const int error = errno;
  const Handler stop = at_hang_up;
  if (stop != nullptr && !has_terminal()) {
    stop(signal);
  } else {
    requested = true;
  }
  errno = error;
}

}  // namespace

ReloadSignal::ReloadSignal() {
  requested = false;
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGHUP, nullptr, &previous_) != 0) {
    throw RuntimeError("cannot read a signal's action: " + std::generic_category().message(errno));
  }
  const bool had_handler = previous_.sa_handler != SIG_IGN && previous_.sa_handler != SIG_DFL;
  at_hang_up = had_handler && has_terminal() ? previous_.sa_handler : nullptr;
  if (sigaction(SIGHUP, &action, nullptr) != 0) {
    throw RuntimeError("cannot install a signal handler: " + std::generic_category().message(errno));
  }
}

ReloadSignal::~ReloadSignal() { sigaction(SIGHUP, &previous_, nullptr); }

bool ReloadSignal::take() { return requested.exchange(false); }

}  // namespace translate::tools
