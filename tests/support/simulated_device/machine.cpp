#include "support/simulated_device/machine.h"

#include <utility>

namespace translate::simulated {

namespace {

thread_local c10::DeviceIndex device_of_thread = 0;

}  // namespace

Machine& machine() {
  static Machine& only = *new Machine;
  return only;
}

c10::DeviceIndex current_device() { return device_of_thread; }

void set_current_device(c10::DeviceIndex index) { device_of_thread = index; }

OpenBlock::OpenBlock(const void* address) : address_(address) {
  if (address_ != nullptr) {
    machine().memory.open(address_);
  }
}

OpenBlock::OpenBlock(OpenBlock&& other) noexcept : address_(std::exchange(other.address_, nullptr)) {}

OpenBlock::~OpenBlock() {
  if (address_ != nullptr) {
    machine().memory.close(address_);
  }
}

}  // namespace translate::simulated
