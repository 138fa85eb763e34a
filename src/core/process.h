#pragma once

#include <array>
#include <csignal>
#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace translate {

/// Opens those of the descriptors 0, 1 and 2 that the process was started without (`2>&-`). Otherwise the next file
/// that is opened, such as a log or a checkpoint, would take the number, and messages would be written into it. What is
/// read from such a stdin, or written to such a stdout, fails; messages on such a stderr are dropped. To be called
/// before any file is opened.
void open_missing_standard_streams() noexcept;

/// The signals that ask a program to stop: Ctrl-C, `kill`, and the terminal that was closed.
inline constexpr std::array<int, 3> kStopSignals = {SIGINT, SIGTERM, SIGHUP};

/// From now on a stop signal ends the process at once with exit_code_of_signal(), unless it is ignored (`nohup`). To be
/// called as early as possible by programs that promise these exit codes; StopSignals takes over where there is
/// something to bring to an end. May be called before main() and before libraries are initialised.
void end_with_exit_code_on_stop_signals() noexcept;

/// Writing to a pipe that nobody reads fails with EPIPE in place of ending the process: for programs whose work is
/// worth more than their messages.
void ignore_broken_pipes() noexcept;

/// A file that would grow beyond the limit of its size (`ulimit -f`) makes write() fail with EFBIG, an error like a
/// full disk, in place of ending the process.
void ignore_file_size_signals() noexcept;

/// While it lives, the stop signals ask the program to stop instead of ending it: the first one is only noted, for the
/// work in hand to be brought to a good end and saved (see stop_signal). After a second one, a third one ends the
/// process at once with exit_code_of_signal(), whatever it is doing. SIGHUP counts once, since a terminal that closes
/// may send it several times, and is left alone where it is ignored. The destructor puts back the actions found by the
/// constructor, and raises a signal again that nobody has asked for. One object at a time.
class StopSignals {
 public:
  /// Throws RuntimeError where the handlers cannot be installed.
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  std::array<struct sigaction, kStopSignals.size()> previous_ = {};
};

/// The signal that asked to stop since the last StopSignals was made, or nothing. Cheap enough for every step.
[[nodiscard]] std::optional<int> stop_signal();

/// What a program stopped by a signal exits with: 128 + its number (129 for SIGHUP, 130 for SIGINT, 143 for SIGTERM).
[[nodiscard]] constexpr int exit_code_of_signal(int signal) { return 128 + signal; }

/// "SIGINT", "SIGTERM" or "SIGHUP".
[[nodiscard]] std::string signal_name(int signal);

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

/// Runs `work` in a child process and returns the bytes that it returns there. For a library that starts threads of its
/// own: an exception in one of them (std::bad_alloc, say) ends the process that it is in, and nothing can catch it.
/// In a child this costs the work alone, and all memory that the work took is given back at its end. Under a limit on
/// the address space (ulimit -v), which counts what threads merely reserve, its threads reserve little.
///
/// `name` says what is done, for messages ("building the tokenizer"). Throws RuntimeError where memory runs out (in
/// any thread of the child), where `work` throws, or where the child ends otherwise; StoppedBySignal where StopSignals
/// notes a signal meanwhile. The child is a fork: `work` must not use threads, locks or files of this process.
[[nodiscard]] std::string in_child_process(const std::string& name, const std::function<std::string()>& work);

}  // namespace translate
