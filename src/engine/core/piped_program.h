#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/child.h"
#include "core/file_descriptor.h"

namespace translate {

/// Another program, whose stdin, stdout and stderr are pipes of this one. The destructor ends it. It also ends with
/// this process, however that ends, where the system can do so (end_with_parent). From the first one on, writing to a
/// closed pipe fails with EPIPE in this process (ignore_broken_pipes), because a program need not read everything.
class PipedProgram {
 public:
  /// Starts the program that the first word names, found as require_program() finds it, with the other words as its
  /// arguments; no shell takes part. Throws RuntimeError with the program and the system's reason, a PathError if that
  /// lies in the program.
  explicit PipedProgram(const std::vector<std::string>& words);

  /// Returns the next bytes for the program's stdin; none at their end.
  using Input = std::function<std::string()>;
  /// Takes the next bytes of the program's stdout.
  using Output = std::function<void(std::string_view)>;

  /// Writes and reads at the same time, in whatever order the program reads and writes, until its stdout and stderr are
  /// closed. What `take` throws ends the exchange. Throws RuntimeError if a pipe fails.
  void exchange(const Input& next, const Output& take);

  /// Waits for the program's end and returns its status, as of waitpid.
  int wait() { return child_->wait(); }

  /// The end of what has come on the program's stderr, some kilobytes at most: whole lines, unless one is longer.
  [[nodiscard]] std::string last_messages() const;

 private:
  void write_input(const Input& next);

  std::string name_;  ///< for errors
  FileDescriptor input_;
  FileDescriptor output_;
  FileDescriptor messages_;
  std::string unwritten_;
  std::string end_of_messages_;
  std::optional<Child> child_;
};

/// Throws PathError unless there is a program of this name that may be executed: a path if the name has a slash,
/// otherwise a file in one of the folders of the variable PATH.
void require_program(const std::string& name);

}  // namespace translate
