#include "support/simulated_device/simulated_device.h"

#include <mutex>

#include "support/simulated_device/machine.h"

namespace translate::simulated {

c10::Device simulated_device() { return {c10::kPrivateUse1, kDevices - 1}; }

std::vector<Wait> take_waits() {
  const std::scoped_lock lock(machine().mutex);
  return machine().work.take_waits();
}

std::vector<Hazard> take_hazards() {
  const std::scoped_lock lock(machine().mutex);
  machine().work.finish();
  return machine().work.take_hazards();
}

std::size_t bytes_in_use() { return machine().allocator.in_use(simulated_device().index()); }

MemoryLimit::MemoryLimit(std::size_t bytes) : before_(machine().allocator.getMemoryInfo(0).second) {
  machine().allocator.set_limit(bytes);
}

MemoryLimit::~MemoryLimit() { machine().allocator.set_limit(before_); }

}  // namespace translate::simulated
