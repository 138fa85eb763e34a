#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <vector>

#include "support/simulated_device/work_queue.h"

/// An accelerator for tests, on machines without one: LibTorch's PrivateUse1, with memory that the host may not touch,
/// copies that are in flight until the host waits, and a record of these waits. Its operators are the CPU's, run on the
/// device's memory (host_call.h). A program that links the files of this folder has two such devices.
namespace translate::simulated {

/// The device for tests: the second one, so that whatever forgets its number ends up on the first.
[[nodiscard]] c10::Device simulated_device();

/// Returns the waits for the device since the last call.
[[nodiscard]] std::vector<Wait> take_waits();

/// Does all work in flight, which counts as no wait, and returns the hazards that were found since the last call.
[[nodiscard]] std::vector<Hazard> take_hazards();

/// The bytes that tensors use on simulated_device().
[[nodiscard]] std::size_t bytes_in_use();

/// Limits the memory of each device for the lifetime of the object.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::size_t bytes);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  std::size_t before_;
};

}  // namespace translate::simulated
