#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "call_plan.h"

namespace file_calls {

/// A call that concerns a path under the watched folder.
struct Call {
  CallKind kind = {};
  std::string path = {};        ///< absolute; of an open file, its present path
  std::string other_path = {};  ///< the new path of a rename or a link
  std::string note = {};        ///< words: create, truncate, exchange
  int file = -1;                ///< the open file, if there is one
  std::int64_t offset = 0;      ///< where bytes are written; the new size of a truncation
  std::string_view bytes = {};  ///< the bytes to write
};

/// Makes the call; `length` is the number of bytes to write, and of no meaning for other calls. Returns as the system
/// does: -1 with errno for a failure.
using SystemCall = std::function<std::int64_t(std::size_t length)>;

/// Numbers the calls of this process that write under the folder FILE_CALLS_ROOT, treats them as FILE_CALLS_PLAN says
/// and records them in the file FILE_CALLS_LOG; with FILE_CALLS_DATA, together with the bytes that were written. A
/// forked child is not watched; a program that it starts is, with numbers of its own. Calls of several threads come one
/// after the other.
class CallRecorder {
 public:
  /// The recorder of this process. Never destroyed: other objects write when they are destroyed.
  static CallRecorder& instance();

  /// Returns whether the path, which is absolute, lies under the folder.
  [[nodiscard]] bool watches(std::string_view path) const;

  /// Makes a call that lies under the folder, or does what the plan wants in its place.
  std::int64_t make(const Call& call, const SystemCall& system_call);

 private:
  CallRecorder();

  std::int64_t treat(Treatment treatment, const Call& call, const SystemCall& system_call);
  void record(const Call& call, std::uint64_t inode, std::int64_t result, int error) const;

  std::string root_;
  CallPlan plan_;
  int log_ = -1;
  bool with_data_ = false;
  int process_ = 0;
  std::int64_t number_ = 0;
  std::mutex mutex_;
};

/// The path of an open file or folder; empty if it has none.
std::string path_of_file(int file);

/// The absolute form of a path that is relative to an open folder, or to the current one (AT_FDCWD).
std::string absolute_path(int folder, const char* path);

}  // namespace file_calls
