#include "processes/collectives/device_backend.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>
#include <utility>

#include "processes/collectives/detached_task.h"

namespace translate::trainer {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPoll = std::chrono::microseconds(100);
constexpr auto kCheckInterval = std::chrono::milliseconds(200);
constexpr auto kEndLimit = std::chrono::seconds(5);

void use_device(const c10::Device& device) { c10::impl::VirtualGuardImpl(device.type()).setDevice(device); }

}  // namespace

DeviceBackend::DeviceBackend(c10::intrusive_ptr<c10d::Backend> backend, const c10::Device& device, const Check& check)
    : backend_(std::move(backend)), device_(device) {
  use_device(device);
  auto connected = start_detached([own = backend_, device] {
    use_device(device);
    own->eagerConnectSingleDevice(device);
  });
  while (connected.wait_for(kCheckInterval) != std::future_status::ready) {
    check();
  }
  connected.get();
}

DeviceBackend::~DeviceBackend() {
  under_way_.clear();
  const auto ended = start_detached([own = std::move(backend_)]() mutable {
    own->abort();
    own.reset();
  });
  (void)ended.wait_for(kEndLimit);
}

DeviceBackend::Operation DeviceBackend::start(const std::function<Operation(c10d::Backend&)>& start) {
  under_way_.push_back(start(*backend_));
  return under_way_.back();
}

bool DeviceBackend::has_started(const Operation& operation) const {
  return std::ranges::find(under_way_, operation) != under_way_.end();
}

void DeviceBackend::wait(const Operation& operation, const Check& check) {
  std::erase(under_way_, operation);
  for (auto next_check = Clock::now() + kCheckInterval; !operation->isCompleted(); std::this_thread::sleep_for(kPoll)) {
    if (Clock::now() >= next_check) {
      check();
      next_check = Clock::now() + kCheckInterval;
    }
  }
  if (const auto error = operation->exception()) {
    std::rethrow_exception(error);
  }
  operation->synchronize();
}

}  // namespace translate::trainer
