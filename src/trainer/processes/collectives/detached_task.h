#pragma once

#include <future>
#include <thread>
#include <utility>

namespace translate::trainer {

/// Starts `work` in a thread of its own, and returns its result to come. If nobody waits for it, the thread is left to
/// itself, so `work` must own all that it uses.
template <typename Work>
[[nodiscard]] auto start_detached(Work work) {
  std::packaged_task<decltype(work())()> task(std::move(work));
  auto result = task.get_future();
  std::thread(std::move(task)).detach();
  return result;
}

}  // namespace translate::trainer
