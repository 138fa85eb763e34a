#pragma once

#include <c10/core/Device.h>
#include <c10/util/Exception.h>

#include <cstdint>
#include <memory>

#include "config/options.h"
#include "core/compute_device.h"
#include "core/error.h"

namespace translate::trainer {

/// Returns a device of LibTorch's, the CPU included, as the engine sees it. Errors of LibTorch's allocators count as a
/// lack of memory there.
[[nodiscard]] std::shared_ptr<const ComputeDevice> compute_device(const c10::Device& device);

/// The kind of a device of LibTorch's.
[[nodiscard]] inline DeviceKind kind_of(const c10::Device& device) {
  return device.is_cpu() ? DeviceKind::kCpu : DeviceKind::kGpu;
}

/// Throws an error of LibTorch's as one that the engine understands: std::bad_alloc for a lack of memory, otherwise
/// RuntimeError with its message, without the stack that LibTorch adds.
[[noreturn]] void throw_plain(const c10::Error& error);

/// Calls `work` and throws errors of LibTorch's by throw_plain.
template <typename Work>
auto with_plain_errors(const Work& work) {
  try {
    return work();
  } catch (const c10::Error& error) {
    throw_plain(error);
  }
}

/// Measures how much memory the process takes on a device beyond its use when the object was made. All memory counts:
/// every allocator's, and the gaps between chunks.
class MemoryGrowth {
 public:
  /// Call give_back_memory before: cached memory hides new allocations.
  explicit MemoryGrowth(const c10::Device& device);

  /// The growth in bytes: on the CPU its peak since then (0 if the kernel does not report it); on a GPU the memory
  /// reserved now, which does not shrink by itself.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  c10::Device device_;
  std::int64_t before_;
};

}  // namespace translate::trainer
