#pragma once

#include <stdexcept>
#include <string>

namespace translate {

/// Exit codes of the programs (docs: "Exit codes" in the README); 130 and 143 follow the signal: 128 + its number.
enum class ExitCode : int { kDone = 0, kFailed = 1, kUserMistake = 2 };

/// Base of every error this project throws: what happened, where, what was expected, what to do; and whose fault it is.
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

/// The world's fault: disk, device, memory, numbers that are not finite (exit 1).
class RuntimeError : public Error {
 public:
  explicit RuntimeError(const std::string& message) : Error(message, ExitCode::kFailed) {}
};

/// Nobody reads what a program writes any more (`| head`): nothing is wrong, and there is nothing left to do.
class BrokenPipe : public RuntimeError {
 public:
  explicit BrokenPipe(const std::string& where) : RuntimeError(where + ": nobody reads it any more") {}
};

}  // namespace translate
