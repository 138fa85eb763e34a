#pragma once

#include "core/threads.h"
#include "tensors/device.h"

namespace translate::testing {

/// Computes with so many threads, LibTorch's operators and our kernels alike, for as long as the object lives.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) : before_(kernel_threads()) { trainer::set_threads(threads); }
  ~ThreadCount() { trainer::set_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

/// What `compute` gives on so many threads.
template <class Compute>
auto on_threads(int threads, const Compute& compute) {
  const ThreadCount count(threads);
  return compute();
}

}  // namespace translate::testing
