#include "tensors/device_memory.h"

#include <c10/core/CachingDeviceAllocator.h>
#include <c10/util/Logging.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include "core/system/allocator.h"
#include "core/system/memory.h"

namespace translate::trainer {

namespace {

/// LibTorch's and SentencePiece's libraries both export a variable FLAGS_minloglevel. The dynamic linker merges the
/// two; SentencePiece's is larger, and its initial value overwrites LibTorch's next flag, so that LibTorch aborts the
/// process where it should throw, such as when the CPU's memory is exhausted. The flag is reset here, after the
/// libraries' own initialisation and before main() begins.
const bool kLibTorchThrows = [] {
  FLAGS_caffe2_use_fatal_for_enforce = false;
  return true;
}();

c10::DeviceAllocator& allocator_of(const c10::Device& device) { return *c10::getDeviceAllocator(device.type()); }

std::int64_t free_on_device(const c10::Device& device) {
  return static_cast<std::int64_t>(allocator_of(device).getMemoryInfo(device.index()).first);
}

bool reports_lack_of_memory(const std::exception& error) {
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) {
    return true;
  }
  const auto* of_libtorch = dynamic_cast<const c10::Error*>(&error);
  return of_libtorch != nullptr ? says_out_of_memory(of_libtorch->what_without_backtrace()) : is_out_of_memory(error);
}

class TorchDevice : public ComputeDevice {
 public:
  explicit TorchDevice(const c10::Device& device) : device_(device) {}

  [[nodiscard]] DeviceKind kind() const override { return kind_of(device_); }
  [[nodiscard]] std::string name() const override { return device_.str(); }
  [[nodiscard]] std::int64_t available_memory() const override {
    return device_.is_cpu() ? translate::available_memory() : free_on_device(device_);
  }
  [[nodiscard]] std::int64_t memory_capacity() const override {
    return device_.is_cpu() ? translate::memory_capacity()
                            : static_cast<std::int64_t>(allocator_of(device_).getMemoryInfo(device_.index()).second);
  }
  void give_back_memory() const override {
    if (!device_.is_cpu()) {
      allocator_of(device_).emptyCache();
    }
    give_back_freed_memory();
  }
  [[nodiscard]] bool is_out_of_memory(const std::exception& error) const override {
    return reports_lack_of_memory(error);
  }

 private:
  c10::Device device_;
};

}  // namespace

std::shared_ptr<const ComputeDevice> compute_device(const c10::Device& device) {
  return std::make_shared<const TorchDevice>(device);
}

void throw_plain(const c10::Error& error) {
  if (reports_lack_of_memory(error)) {
    throw std::bad_alloc();
  }
  throw RuntimeError(fmt::format("LibTorch: {}", error.what_without_backtrace()));
}

MemoryGrowth::MemoryGrowth(const c10::Device& device) : device_(device), before_(0) {
  if (!device.is_cpu()) {
    before_ = free_on_device(device);
  } else {
    before_ = reset_resident_peak() ? resident_peak() : std::numeric_limits<std::int64_t>::max();
  }
}

std::int64_t MemoryGrowth::bytes() const {
  const auto grown = device_.is_cpu() ? resident_peak() - before_ : before_ - free_on_device(device_);
  return std::max<std::int64_t>(grown, 0);
}

}  // namespace translate::trainer
