#pragma once

#include <array>
#include <csignal>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>

namespace translate {

/// The signals that ask a program to stop: Ctrl-C, `kill`, and a closed terminal.
inline constexpr std::array<int, 3> kStopSignals = {SIGINT, SIGTERM, SIGHUP};

/// From now on a stop signal ends the process at once with exit_code_of_signal(), unless it is ignored (`nohup`). To be
/// called as early as possible by programs that promise these exit codes; StopSignals takes over for work that must be
/// finished or saved. May be called before main() and before libraries are initialised.
void end_with_exit_code_on_stop_signals() noexcept;

/// A folder that is removed with its contents if end_with_exit_code_on_stop_signals() ends the process while the object
/// lives. At most four at a time; a fifth is not removed then.
class RemovedAtStop {
 public:
  explicit RemovedAtStop(const std::filesystem::path& folder);
  ~RemovedAtStop();
  RemovedAtStop(const RemovedAtStop&) = delete;
  RemovedAtStop& operator=(const RemovedAtStop&) = delete;

 private:
  std::string folder_;
};

/// While it lives, the stop signals ask the program to stop instead of ending it: the first one is only recorded, so
/// that the current work can be finished and saved (see stop_signal). After a second one, a third one ends the process
/// at once with exit_code_of_signal(), whatever it is doing. SIGHUP counts once, since a terminal that closes may send
/// it several times, and stays ignored if it was. The destructor restores the previous actions, and raises a recorded
/// signal again if stop_signal() has not returned it. Only one object may exist at a time.
class StopSignals {
 public:
  /// Throws RuntimeError if the handlers cannot be installed.
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  std::array<struct sigaction, kStopSignals.size()> previous_ = {};
};

/// The signal that asked to stop since the last StopSignals was made, or nothing. Cheap enough for every step.
[[nodiscard]] std::optional<int> stop_signal();

/// The exit code of a program stopped by a signal: 128 + its number (129 for SIGHUP, 130 for SIGINT, 143 for SIGTERM).
[[nodiscard]] constexpr int exit_code_of_signal(int signal) { return 128 + signal; }

/// "SIGINT", "SIGTERM" or "SIGHUP".
[[nodiscard]] std::string signal_name(int signal);

/// Thrown by long work that was stopped by a signal and has nothing to save: the program ends with
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
