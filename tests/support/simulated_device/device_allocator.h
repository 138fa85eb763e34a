#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <array>
#include <cstddef>
#include <map>
#include <utility>

namespace translate::simulated {

/// Allocates the devices' memory. As a caching allocator does, it keeps what is freed: a device's free memory shrinks
/// with the most that was ever in use, until emptyCache().
class DeviceAllocator final : public c10::DeviceAllocator {
 public:
  /// Throws c10::OutOfMemoryError if the device's limit is exceeded.
  c10::DataPtr allocate(std::size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* destination, const void* source, std::size_t bytes) const override;

  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t pool) override;
  void recordStream(const c10::DataPtr& /*block*/, c10::Stream /*stream*/) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override;
  void resetAccumulatedStats(c10::DeviceIndex /*device*/) override {}
  void resetPeakStats(c10::DeviceIndex /*device*/) override {}
  /// Free memory and all memory of a device, in bytes.
  std::pair<std::size_t, std::size_t> getMemoryInfo(c10::DeviceIndex device) override;

  /// Sets the memory of each device.
  void set_limit(std::size_t bytes);
  /// The bytes in use on a device.
  [[nodiscard]] std::size_t in_use(c10::DeviceIndex device) const;

 private:
  struct Usage {
    std::size_t in_use = 0;
    std::size_t reserved = 0;
  };

  static void release(void* block);

  std::size_t limit_ = std::size_t{1} << 30U;
  std::array<Usage, 2> usage_;                     ///< of each device
  std::map<const void*, c10::DeviceIndex> owner_;  ///< of each block
};

}  // namespace translate::simulated
