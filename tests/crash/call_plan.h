#pragma once

#include <cstdint>
#include <string_view>

namespace file_calls {

/// A call as far as the plan needs it.
struct CallKind {
  std::string_view name;
  bool writes_bytes = false;      ///< write and its like, which may write fewer bytes
  bool needs_space = false;       ///< fails on a full disk: also creating a file or a folder
  bool is_interruptible = false;  ///< may fail with EINTR
};

/// What is done to one call.
enum class Treatment { kRun, kKill, kHalfThenKill, kHalf, kFail };

/// Says what happens to which call, as the environment variable FILE_CALLS_PLAN describes:
/// - `kill N`: the process is killed before call N
/// - `kill-half N`: the same, after the call has written half of its bytes
/// - `fail N ERRNO`: call N fails
/// - `fail-from N ERRNO`: call N and all later ones fail
/// - `full-from N ERRNO`: from call N on, those fail that need space; the first that writes bytes writes half of them
/// - `refuse NAME ERRNO`: all calls of that name fail
/// - `half N`: call N writes half of its bytes
/// - `half-all`: all calls that write more than one byte write half of them
/// - `interrupt-all`: all calls that can be interrupted fail with EINTR once, and run when they are repeated
///
/// An empty plan runs all calls.
class CallPlan {
 public:
  /// Throws std::invalid_argument for an unknown plan.
  explicit CallPlan(std::string_view description);

  /// Returns the treatment of the next call, whose number is `number`, from 1.
  Treatment next(std::int64_t number, const CallKind& kind);

  /// The error of calls that fail.
  [[nodiscard]] int error() const { return error_; }

 private:
  enum class Rule { kNone, kKill, kKillHalf, kFail, kFailFrom, kFullFrom, kRefuse, kHalf, kHalfAll, kInterruptAll };

  [[nodiscard]] Treatment on_full_disk(const CallKind& kind);

  Rule rule_ = Rule::kNone;
  std::int64_t number_ = 0;
  int error_ = 0;
  char refused_[32] = {};
  bool is_half_written_ = false;
  std::int64_t interruptible_calls_ = 0;
};

}  // namespace file_calls
