#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "translate/serving/request_queue.h"

namespace translate {

/// Counts what a service did. Thread-safe.
class ServiceMetrics {
 public:
  /// A request to translate that was answered with `status`, `time` after it was read.
  void count(int status, std::chrono::nanoseconds time);
  /// Text that was translated.
  void count_text(std::size_t texts, std::size_t characters);

  /// Everything in the text format of Prometheus, the queue's counts included. Times are those of the last
  /// kKept requests that were answered with a translation.
  [[nodiscard]] std::string text(const QueueCounts& queue) const;

  static constexpr std::size_t kKept = 4096;

 private:
  mutable std::mutex mutex_;
  std::map<int, std::uint64_t> by_status_;
  std::uint64_t texts_ = 0;
  std::uint64_t characters_ = 0;
  std::vector<double> seconds_;  ///< a ring
  std::uint64_t timed_ = 0;      ///< times that went into it
};

}  // namespace translate
