#pragma once

#include <stdexcept>
#include <string>

namespace translate {

/// Exit codes of the programs (docs: "Exit codes" in the README); 130 and 143 follow the signal: 128 + its number.
enum class ExitCode : int { kDone = 0, kFailed = 1, kUserMistake = 2 };

/// Base of every error this project throws. The message says what happened, where, what was expected and what to do;
/// the type says whose fault it is.
class Error : public std::runtime_error {
 public:
  [[nodiscard]] ExitCode exit_code() const { return exit_code_; }

 protected:
  Error(const std::string& message, ExitCode exit_code) : std::runtime_error(message), exit_code_(exit_code) {}

 private:
  ExitCode exit_code_;
};

/// The user's mistake in an option or in the configuration (exit 2).
class ConfigError : public Error {
 public:
  explicit ConfigError(const std::string& message) : Error(message, ExitCode::kUserMistake) {}
};

/// Training or evaluation text that cannot be used as it is (exit 2).
class DataError : public Error {
 public:
  explicit DataError(const std::string& message) : Error(message, ExitCode::kUserMistake) {}
};

/// A checkpoint or weights file that is missing, damaged or of another model (exit 1).
class CheckpointError : public Error {
 public:
  explicit CheckpointError(const std::string& message) : Error(message, ExitCode::kFailed) {}
};

/// A fault of the environment: disk, device, memory, numbers that are not finite (exit 1).
class RuntimeError : public Error {
 public:
  explicit RuntimeError(const std::string& message) : Error(message, ExitCode::kFailed) {}
};

/// The reader of a program's output has closed it (`| head`): no error, and nothing is left to do.
class BrokenPipe : public RuntimeError {
 public:
  explicit BrokenPipe(const std::string& where) : RuntimeError(where + ": its reader has closed it") {}
};

}  // namespace translate
