#include "translate/core/stop_signal.h"

#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>

#include "translate/core/error.h"

namespace translate {
namespace {

// A handler may only touch lock-free atomics.
std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free);

void note_signal(int signal) {
  int none = 0;
  if (received.compare_exchange_strong(none, signal)) return;
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void install(int signal, struct sigaction& previous) {
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESTART;  // a write to the disk is finished, not cut short
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  if (sigaction(signal, &action, &previous) != 0) {
    throw RuntimeError("cannot install a signal handler: " + std::generic_category().message(errno));
  }
}

}  // namespace

StopSignals::StopSignals() {
  received = 0;
  install(SIGINT, previous_interrupt_);
  install(SIGTERM, previous_terminate_);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &previous_interrupt_, nullptr);
  sigaction(SIGTERM, &previous_terminate_, nullptr);
}

std::optional<int> stop_signal() {
  const int signal = received;
  return signal == 0 ? std::nullopt : std::optional<int>(signal);
}

}  // namespace translate
