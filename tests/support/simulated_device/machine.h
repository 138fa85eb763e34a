#pragma once

#include <c10/core/Device.h>

#include <mutex>

#include "support/simulated_device/device_allocator.h"
#include "support/simulated_device/fenced_memory.h"
#include "support/simulated_device/pinned_memory.h"
#include "support/simulated_device/work_queue.h"

namespace translate::simulated {

/// Two devices, so that a tensor on the wrong one is found, too.
constexpr c10::DeviceIndex kDevices = 2;

/// The parts of the simulated machine. There is one in the process, because LibTorch's registries, in which its parts
/// are entered, are the process's.
struct Machine {
  std::recursive_mutex mutex;  ///< held by whatever runs on a device, one thing at a time; guards memory and work
  FencedMemory& memory = *new FencedMemory;
  WorkQueue work;
  DeviceAllocator allocator;
  PinnedMemory pinned;
};

/// The machine, which is never destroyed.
[[nodiscard]] Machine& machine();

/// The device that operators use if none is named. Each thread has its own.
[[nodiscard]] c10::DeviceIndex current_device();
void set_current_device(c10::DeviceIndex index);

/// Opens the memory of a storage's block for the lifetime of the object. The machine's mutex must be held.
class OpenBlock {
 public:
  /// `address`: of the block, or null.
  explicit OpenBlock(const void* address);
  ~OpenBlock();
  OpenBlock(OpenBlock&& other) noexcept;
  OpenBlock& operator=(OpenBlock&&) = delete;
  OpenBlock(const OpenBlock&) = delete;
  OpenBlock& operator=(const OpenBlock&) = delete;

 private:
  const void* address_;
};

}  // namespace translate::simulated
