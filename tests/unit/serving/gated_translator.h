#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "translate/serving/batch_queue.h"

namespace translate {

/// Waits until `condition` holds; false where it does not for a very long time.
inline bool comes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Stands for a model: "x" becomes "<x>", with the alternatives "<x>2" and "<x>3"; "boom" is an error. It waits while
/// its gate is closed, and notes every call.
class GatedTranslator {
 public:
  using Lines = std::vector<std::string>;

  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }
  /// The lines of each call so far, the one under way included.
  [[nodiscard]] std::vector<Lines> calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  [[nodiscard]] TranslateLines function() {
    return [this](std::span<const std::string> lines) { return translate(lines); };
  }

 private:
  std::vector<Candidates> translate(std::span<const std::string> lines) {
    std::unique_lock lock(mutex_);
    calls_.emplace_back(lines.begin(), lines.end());
    opened_.wait(lock, [this] { return open_; });
    std::vector<Candidates> results;
    for (const auto& line : lines) {
      if (line == "boom") throw std::runtime_error("boom");
      results.push_back({"<" + line + ">", "<" + line + ">2", "<" + line + ">3"});
    }
    return results;
  }

  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = true;
  std::vector<Lines> calls_;
};

}  // namespace translate
