#pragma once

#include <csignal>
#include <exception>
#include <optional>

namespace translate {

/// While it lives, SIGINT and SIGTERM ask the program to stop instead of ending it: the first one is only noted, for
/// the work in hand to be brought to a good end and saved (see stop_signal). The second one puts the system's own
/// action back, so that a third one ends the process at once, whatever it is doing. The destructor puts back the
/// actions found by the constructor. One object at a time.
class StopSignals {
 public:
  /// Throws RuntimeError where the handlers cannot be installed.
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  struct sigaction previous_interrupt_ = {};
  struct sigaction previous_terminate_ = {};
};

/// The signal that asked to stop since the last StopSignals was made (SIGINT or SIGTERM), or nothing. Cheap enough for
/// every step.
[[nodiscard]] std::optional<int> stop_signal();

/// What a program stopped by a signal exits with: 128 + its number (130 for SIGINT, 143 for SIGTERM).
[[nodiscard]] constexpr int exit_code_of_signal(int signal) { return 128 + signal; }

/// Thrown by long work that a signal asked to stop and that has nothing to save: the program ends with
/// exit_code_of_signal().
class StoppedBySignal : public std::exception {
 public:
  explicit StoppedBySignal(int signal) : signal_(signal) {}

  [[nodiscard]] int signal() const { return signal_; }
  [[nodiscard]] const char* what() const noexcept override { return "stopped by a signal"; }

 private:
  int signal_;
};

}  // namespace translate
