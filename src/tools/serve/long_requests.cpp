#include "serve/long_requests.h"

#include <fmt/format.h>

#include <utility>

#include "core/system/allocator.h"

namespace translate::tools {

LongRequests::Place::~Place() {
  if (all_ != nullptr) {
    give_back_freed_memory();  // of trees, which are much larger than what others need
    const std::lock_guard lock(all_->mutex_);
    --all_->taken_;
  }
}

std::unique_lock<std::timed_mutex> LongRequests::Place::turn(RequestQueue::Clock::time_point deadline) const {
  std::unique_lock lock(all_->turn_, deadline);
  if (!lock) {
    throw QueueRefusal(Refusal::kLate, "other files and long texts took all of the time limit");
  }
  return lock;
}

LongRequests::Place LongRequests::enter() {
  const std::lock_guard lock(mutex_);
  if (taken_ >= most_) {
    throw QueueRefusal(Refusal::kFull, fmt::format("{} files or long texts are being translated, of {} at most; try "
                                                   "again later",
                                                   taken_, most_));
  }
  ++taken_;
  return Place(*this);
}

}  // namespace translate::tools
