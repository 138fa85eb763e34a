#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>

#include "serve/request_queue.h"

namespace translate::tools {

/// Limits the files and long texts that a server translates at a time, so that short requests always find a thread, and
/// has those that are in memory as trees read and written one after the other. Thread-safe.
class LongRequests {
 public:
  /// Longer texts (bytes) are long requests, and so are all files.
  static constexpr std::size_t kShort = 64UL * 1024;

  /// `most`: at a time.
  explicit LongRequests(std::size_t most) : most_(most) {}

  /// A place among the long requests, given back at its end.
  class Place {
   public:
    explicit Place(LongRequests& all) : all_(&all) {}
    Place(Place&& other) noexcept : all_(std::exchange(other.all_, nullptr)) {}
    Place& operator=(Place&&) = delete;
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place();

    /// Waits for the turn to read or write, which lasts as long as the lock. Throws QueueRefusal after the deadline.
    [[nodiscard]] std::unique_lock<std::timed_mutex> turn(RequestQueue::Clock::time_point deadline) const;

   private:
    LongRequests* all_;
  };

  /// Returns a place. Throws QueueRefusal if all are taken.
  [[nodiscard]] Place enter();

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::size_t taken_ = 0;
  std::timed_mutex turn_;
};

}  // namespace translate::tools
