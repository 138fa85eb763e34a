#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "serve/request_queue.h"

namespace translate::tools {

/// Statistics of a server's models.
struct ModelCounts {
  QueueCounts queue;                                        ///< of all models since the start
  std::vector<std::pair<std::string, std::int64_t>> bytes;  ///< the current models: names and memory of their weights
  std::uint64_t reloads = 0;                                ///< that loaded all models anew that had changed
  std::uint64_t failed_reloads = 0;                         ///< the others
};

/// Counts a service's requests. Thread-safe.
class ServiceMetrics {
 public:
  /// Counts a request to translate that was answered with `status`, `time` after it was read.
  void count(int status, std::chrono::nanoseconds time);
  /// Counts translated text.
  void count_text(std::size_t texts, std::size_t characters);

  /// Returns all counts in the text format of Prometheus, including those of the models. Times are those of the last
  /// kKept requests that were answered with a translation.
  [[nodiscard]] std::string text(const ModelCounts& models) const;

  static constexpr std::size_t kKept = 4096;

 private:
  mutable std::mutex mutex_;
  std::map<int, std::uint64_t> by_status_;
  std::uint64_t texts_ = 0;
  std::uint64_t characters_ = 0;
  std::vector<double> seconds_;  ///< a ring buffer
  std::uint64_t timed_ = 0;      ///< times recorded in it so far
};

}  // namespace translate::tools
