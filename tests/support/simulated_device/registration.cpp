// Enters the simulated device in LibTorch's registries, before main() begins: hooks, guard, allocator, name.

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "support/simulated_device/device_generator.h"
#include "support/simulated_device/machine.h"

namespace translate::simulated {

namespace {

c10::DeviceIndex exchange_current(c10::DeviceIndex index) {
  const auto before = current_device();
  if (index >= 0) {
    set_current_device(index);
  }
  return before;
}

/// What LibTorch asks of any accelerator.
class Hooks final : public at::PrivateUse1HooksInterface {
 public:
  [[nodiscard]] bool isBuilt() const override { return true; }
  [[nodiscard]] bool isAvailable() const override { return true; }
  [[nodiscard]] bool hasPrimaryContext(c10::DeviceIndex /*index*/) const override { return true; }
  [[nodiscard]] c10::DeviceIndex deviceCount() const override { return kDevices; }
  void setCurrentDevice(c10::DeviceIndex index) const override { set_current_device(index); }
  [[nodiscard]] c10::DeviceIndex getCurrentDevice() const override { return current_device(); }
  [[nodiscard]] c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override {
    return exchange_current(index);
  }
  [[nodiscard]] c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override {
    return exchange_current(index);
  }
  [[nodiscard]] const at::Generator& getDefaultGenerator(c10::DeviceIndex index) const override {
    return default_generator(index);
  }
  [[nodiscard]] at::Generator getNewGenerator(c10::DeviceIndex index) const override {
    return at::make_generator<DeviceGenerator>(index);
  }
  [[nodiscard]] bool isPinnedPtr(const void* data) const override { return machine().pinned.holds(data); }
  [[nodiscard]] c10::Allocator* getPinnedMemoryAllocator() const override { return &machine().pinned; }
};

/// An event is the number of the newest work when it was recorded.
using Event = std::uint64_t;

/// Each device has one stream, its default one.
class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  [[nodiscard]] c10::DeviceType type() const override { return c10::kPrivateUse1; }
  [[nodiscard]] c10::DeviceIndex deviceCount() const noexcept override { return kDevices; }
  [[nodiscard]] c10::Device getDevice() const override { return {c10::kPrivateUse1, current_device()}; }
  void setDevice(c10::Device device) const override { exchange_current(device.index()); }
  void uncheckedSetDevice(c10::Device device) const noexcept override { exchange_current(device.index()); }
  [[nodiscard]] c10::Device exchangeDevice(c10::Device device) const override {
    return {c10::kPrivateUse1, exchange_current(device.index())};
  }

  [[nodiscard]] c10::Stream getStream(c10::Device device) const override {
    return c10::Stream(c10::Stream::DEFAULT,
                       {c10::kPrivateUse1, device.has_index() ? device.index() : current_device()});
  }
  [[nodiscard]] c10::Stream getDefaultStream(c10::Device device) const override { return getStream(device); }
  [[nodiscard]] c10::Stream exchangeStream(c10::Stream stream) const override { return getStream(stream.device()); }
  [[nodiscard]] bool queryStream(const c10::Stream& /*stream*/) const override {
    const std::scoped_lock lock(machine().mutex);
    return machine().work.is_done(machine().work.newest());
  }
  void synchronizeStream(const c10::Stream& /*stream*/) const override { wait("synchronizeStream"); }
  void synchronizeDevice(c10::DeviceIndex /*index*/) const override { wait("synchronizeDevice"); }

  void record(void** event, const c10::Stream& /*stream*/, c10::DeviceIndex /*index*/,
              c10::EventFlag /*flag*/) const override {
    const std::scoped_lock lock(machine().mutex);
    destroyEvent(*event, /*index=*/0);
    *event = new Event(machine().work.newest());
  }
  void block(void* /*event*/, const c10::Stream& /*stream*/) const override {}  // the one stream is in order
  [[nodiscard]] bool queryEvent(void* event) const override {
    const std::scoped_lock lock(machine().mutex);
    return event == nullptr || machine().work.is_done(*static_cast<Event*>(event));
  }
  void synchronizeEvent(void* /*event*/) const override { wait("synchronizeEvent"); }
  void destroyEvent(void* event, c10::DeviceIndex /*index*/) const noexcept override {
    delete static_cast<Event*>(event);
  }

 private:
  static void wait(const char* operation) {
    const std::scoped_lock lock(machine().mutex);
    machine().work.wait(WaitKind::kSynchronisation, operation);
  }
};

[[maybe_unused]] const bool kRegistered = [] {
  c10::register_privateuse1_backend("simulated");
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  c10::impl::registerDeviceGuard(c10::kPrivateUse1, new Guard);
  c10::SetAllocator(c10::kPrivateUse1, &machine().allocator);
  return true;
}();

}  // namespace

}  // namespace translate::simulated
