#include "call_plan.h"

#include <cerrno>
#include <sstream>
#include <stdexcept>
#include <string>

namespace file_calls {

CallPlan::CallPlan(std::string_view description) {
  std::istringstream words{std::string(description)};
  std::string rule;
  if (!(words >> rule)) {
    return;
  }
  const auto with_number = [&](Rule found) {
    rule_ = found;
    return static_cast<bool>(words >> number_);
  };
  const auto with_error = [&](Rule found) { return with_number(found) && static_cast<bool>(words >> error_); };
  bool is_known = true;
  if (rule == "kill") {
    is_known = with_number(Rule::kKill);
  } else if (rule == "kill-half") {
    is_known = with_number(Rule::kKillHalf);
  } else if (rule == "fail") {
    is_known = with_error(Rule::kFail);
  } else if (rule == "fail-from") {
    is_known = with_error(Rule::kFailFrom);
  } else if (rule == "full-from") {
    is_known = with_error(Rule::kFullFrom);
  } else if (rule == "half") {
    is_known = with_number(Rule::kHalf);
  } else if (rule == "half-all") {
    rule_ = Rule::kHalfAll;
  } else if (rule == "interrupt-all") {
    rule_ = Rule::kInterruptAll;
    error_ = EINTR;
  } else if (rule == "refuse") {
    std::string name;
    is_known = static_cast<bool>(words >> name >> error_) && name.size() < sizeof(refused_);
    rule_ = Rule::kRefuse;
    name.copy(refused_, sizeof(refused_) - 1);
  } else {
    is_known = false;
  }
  if (!is_known) {
    throw std::invalid_argument("FILE_CALLS_PLAN: unknown: " + std::string(description));
  }
}

Treatment CallPlan::next(std::int64_t number, const CallKind& kind) {
  switch (rule_) {
    case Rule::kNone:
      return Treatment::kRun;
    case Rule::kKill:
      return number == number_ ? Treatment::kKill : Treatment::kRun;
    case Rule::kKillHalf:
      if (number != number_) {
        return Treatment::kRun;
      }
      return kind.writes_bytes ? Treatment::kHalfThenKill : Treatment::kKill;
    case Rule::kFail:
      return number == number_ ? Treatment::kFail : Treatment::kRun;
    case Rule::kFailFrom:
      return number >= number_ ? Treatment::kFail : Treatment::kRun;
    case Rule::kFullFrom:
      return number >= number_ ? on_full_disk(kind) : Treatment::kRun;
    case Rule::kRefuse:
      return kind.name == refused_ ? Treatment::kFail : Treatment::kRun;
    case Rule::kHalf:
      return number == number_ && kind.writes_bytes ? Treatment::kHalf : Treatment::kRun;
    case Rule::kHalfAll:
      return kind.writes_bytes ? Treatment::kHalf : Treatment::kRun;
    case Rule::kInterruptAll:
      // A call that is repeated comes right after the one that failed.
      return kind.is_interruptible && ++interruptible_calls_ % 2 == 1 ? Treatment::kFail : Treatment::kRun;
  }
  return Treatment::kRun;
}

Treatment CallPlan::on_full_disk(const CallKind& kind) {
  if (!kind.needs_space) {
    return Treatment::kRun;
  }
  if (kind.writes_bytes && !is_half_written_) {
    is_half_written_ = true;
    return Treatment::kHalf;
  }
  return Treatment::kFail;
}

}  // namespace file_calls
