#include "support/simulated_device/pinned_memory.h"

#include <c10/core/impl/alloc_cpu.h>

#include <iterator>

#include "support/simulated_device/machine.h"

namespace translate::simulated {

c10::DataPtr PinnedMemory::allocate(std::size_t bytes) {
  if (bytes == 0) {
    return {nullptr, c10::Device(c10::kCPU)};
  }
  void* const block = c10::alloc_cpu(bytes);
  const std::scoped_lock lock(mutex_);
  blocks_[static_cast<const char*>(block)] = bytes;
  return {block, block, &release, c10::Device(c10::kCPU)};
}

void PinnedMemory::release(void* block) {
  auto& memory = machine().pinned;
  {
    const std::scoped_lock lock(memory.mutex_);
    memory.blocks_.erase(static_cast<const char*>(block));
  }
  c10::free_cpu(block);
}

void PinnedMemory::copy_data(void* destination, const void* source, std::size_t bytes) const {
  default_copy_data(destination, source, bytes);
}

bool PinnedMemory::holds(const void* address) const {
  const auto* place = static_cast<const char*>(address);
  const std::scoped_lock lock(mutex_);
  const auto next = blocks_.upper_bound(place);
  if (next == blocks_.begin()) {
    return false;
  }
  const auto& [begin, bytes] = *std::prev(next);
  return place < begin + bytes;
}

}  // namespace translate::simulated
