#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace translate {

inline constexpr std::uint64_t kMebibyte = 1U << 20U;

/// What a program that has ended left behind.
struct ProcessResult {
  int exit_code = -1;   ///< as a shell tells it: 128 + the signal's number where a signal killed the program
  bool killed = false;  ///< a signal killed it, it did not exit by itself
  std::string out;      ///< all of stdout
  std::string err;      ///< all of stderr
};

/// Whether ProcessOptions::memory_limit has an effect. The address sanitizer reserves more address space than any
/// limit, so programs that are built with it run without one.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kMemoryCanBeLimited = false;
#else
inline constexpr bool kMemoryCanBeLimited = true;
#endif

/// How to start a program.
struct ProcessOptions {
  std::filesystem::path folder;             ///< its current folder (empty: that of the tests)
  std::string input;                        ///< what it reads from stdin
  std::filesystem::path stdout_path;        ///< where its stdout goes (empty: kept for the result)
  std::optional<std::uint64_t> file_limit;  ///< bytes a file may grow to; writing more fails, as on a full disk
  std::optional<std::uint64_t> memory_limit = std::nullopt;  ///< bytes of address space; allocating more fails
  std::map<std::string, std::string> environment = {};       ///< variables to set in addition
};

/// A running program: `name` of the build's programs, or a path. It is killed where the object dies first.
class Process {
 public:
  Process(const std::string& name, const std::vector<std::string>& arguments, const ProcessOptions& options = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal) const;

  /// Waits for the end; kills the program, and fails the test, where it takes longer than the time-out.
  [[nodiscard]] ProcessResult wait();

  /// The largest address space so far, in bytes; the program must be running.
  [[nodiscard]] std::uint64_t peak_address_space() const;

  /// What has come on stderr so far.
  [[nodiscard]] std::string err() const;

  /// Waits until `text` stands on stderr; false, and a failed test, where the program ends before or time runs out.
  [[nodiscard]] bool wait_for_err(const std::string& text);

 private:
  [[nodiscard]] bool has_ended();

  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = 0;
  int out_ = -1;
  int err_ = -1;
};

}  // namespace translate
