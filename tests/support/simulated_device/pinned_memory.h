#pragma once

#include <c10/core/Allocator.h>

#include <cstddef>
#include <map>
#include <mutex>

namespace translate::simulated {

/// Memory of the host from which, and into which, the device copies by itself. Thread-safe. As with CUDA's allocator, a
/// block that is freed while a copy from it is in flight stays as it is until the copy is done: the copy holds it.
class PinnedMemory final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* destination, const void* source, std::size_t bytes) const override;

  /// Whether the address lies in a block of this memory.
  [[nodiscard]] bool holds(const void* address) const;

 private:
  static void release(void* block);

  mutable std::mutex mutex_;
  std::map<const char*, std::size_t> blocks_;
};

}  // namespace translate::simulated
