#include "support/simulated_device/device_allocator.h"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "support/simulated_device/machine.h"

namespace translate::simulated {

namespace {

c10::Device device_at(c10::DeviceIndex index) { return {c10::kPrivateUse1, index}; }

}  // namespace

c10::DataPtr DeviceAllocator::allocate(std::size_t bytes) {
  const auto index = current_device();
  if (bytes == 0) {
    return {nullptr, device_at(index)};
  }
  auto& [mutex, memory, work, allocator, pinned] = machine();
  const std::scoped_lock lock(mutex);
  auto& usage = usage_.at(static_cast<std::size_t>(index));
  TORCH_CHECK_WITH(OutOfMemoryError, usage.in_use + bytes <= limit_, "simulated device out of memory: ", bytes,
                   " bytes wanted, ", limit_ - usage.in_use, " are free");
  void* const block = memory.allocate(bytes);
  const auto size = memory.size_of(block);
  usage.in_use += size;
  usage.reserved = std::max(usage.reserved, usage.in_use);
  owner_[block] = index;
  c10::reportMemoryUsageToProfiler(block, static_cast<std::int64_t>(size), usage.in_use, usage.reserved,
                                   device_at(index));
  return {block, block, &release, device_at(index)};
}

void DeviceAllocator::release(void* block) {
  auto& [mutex, memory, work, allocator, pinned] = machine();
  const std::scoped_lock lock(mutex);
  const auto owner = allocator.owner_.find(block);
  const auto index = owner->second;
  allocator.owner_.erase(owner);
  auto& usage = allocator.usage_.at(static_cast<std::size_t>(index));
  const auto size = memory.size_of(block);
  memory.release(block);
  usage.in_use -= size;
  c10::reportMemoryUsageToProfiler(block, -static_cast<std::int64_t>(size), usage.in_use, usage.reserved,
                                   device_at(index));
}

void DeviceAllocator::copy_data(void* destination, const void* source, std::size_t bytes) const {
  const std::scoped_lock lock(machine().mutex);
  const OpenBlock from(source);
  const OpenBlock to(destination);
  std::memcpy(destination, source, bytes);
}

void DeviceAllocator::emptyCache(c10::MempoolId_t /*pool*/) {
  const std::scoped_lock lock(machine().mutex);
  for (auto& usage : usage_) {
    usage.reserved = usage.in_use;
  }
}

c10::CachingDeviceAllocator::DeviceStats DeviceAllocator::getDeviceStats(c10::DeviceIndex /*device*/) { return {}; }

std::pair<std::size_t, std::size_t> DeviceAllocator::getMemoryInfo(c10::DeviceIndex device) {
  const std::scoped_lock lock(machine().mutex);
  const auto& usage = usage_.at(static_cast<std::size_t>(device));
  return {limit_ - std::min(limit_, usage.reserved), limit_};
}

void DeviceAllocator::set_limit(std::size_t bytes) {
  const std::scoped_lock lock(machine().mutex);
  limit_ = bytes;
}

std::size_t DeviceAllocator::in_use(c10::DeviceIndex device) const {
  const std::scoped_lock lock(machine().mutex);
  return usage_.at(static_cast<std::size_t>(device)).in_use;
}

}  // namespace translate::simulated
