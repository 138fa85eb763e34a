#pragma once

#include <array>
#include <csignal>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace translate {

/// Opens the descriptors 0, 1 and 2 if the process was started without them (`2>&-`). Otherwise the next file that is
/// opened, such as a log or a checkpoint, would take the number, and messages would be written into it. Reading from
/// such a stdin and writing to such a stdout fails; messages to such a stderr are dropped. To be called before any file
/// is opened.
void open_missing_standard_streams() noexcept;

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

/// Makes writes to a closed pipe fail with EPIPE instead of ending the process: for programs whose work is worth more
/// than their messages.
void ignore_broken_pipes() noexcept;

/// Makes write() beyond the file size limit (`ulimit -f`) fail with EFBIG, an error like a full disk, instead of ending
/// the process.
void ignore_file_size_signals() noexcept;

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

/// Runs `work` in a child process and returns the bytes that it returns there. For a library that starts its own
/// threads: an exception in one of them (such as std::bad_alloc) ends its process and cannot be caught. In a child
/// process only the work is lost, and all its memory is returned at the end. Under a limit on the address space
/// (ulimit -v), which also counts reservations, the child's threads reserve little.
///
/// `name` names the work in messages ("building the tokenizer"). Throws RuntimeError if memory runs out (in any thread
/// of the child), if `work` throws, or if the child ends otherwise; StoppedBySignal if StopSignals records a signal
/// meanwhile. The child is a fork: `work` must not use threads, locks or files of this process.
[[nodiscard]] std::string in_child_process(const std::string& name, const std::function<std::string()>& work);

/// Returns the path of the running program; where /proc is not mounted, the path with which it was started. Throws
/// RuntimeError if that is gone, too. `root` is the file system's root; tests give another.
[[nodiscard]] std::filesystem::path executable_path(const std::filesystem::path& root = "/");

/// Returns the folder of the running program.
[[nodiscard]] std::filesystem::path executable_dir();

}  // namespace translate
