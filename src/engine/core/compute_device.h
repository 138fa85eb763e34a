#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>

namespace translate {

/// The kinds of devices on which a model computes.
enum class DeviceKind { kCpu, kGpu };

/// A device on which a model computes, and its memory.
class ComputeDevice {
 public:
  ComputeDevice() = default;
  virtual ~ComputeDevice() = default;
  ComputeDevice(const ComputeDevice&) = delete;
  ComputeDevice& operator=(const ComputeDevice&) = delete;

  [[nodiscard]] virtual DeviceKind kind() const = 0;
  /// "cpu" or "cuda:0".
  [[nodiscard]] virtual std::string name() const = 0;
  /// The bytes that this process may still allocate there.
  [[nodiscard]] virtual std::int64_t available_memory() const = 0;
  /// The bytes that this process could allocate there if it had the machine to itself: no larger allocation can
  /// succeed.
  [[nodiscard]] virtual std::int64_t memory_capacity() const = 0;
  /// Returns memory cached by the allocators: to the system, or to the GPU for other sizes and other programs.
  virtual void give_back_memory() const = 0;
  /// True if an exception reports a failed allocation there.
  [[nodiscard]] virtual bool is_out_of_memory(const std::exception& error) const = 0;
};

/// True if this machine has NVIDIA's driver (libcuda.so.1), which the call loads; without it no GPU can be used.
[[nodiscard]] bool has_nvidia_driver();

/// Throws ConfigError if `name` is not auto, cpu, cuda or cuda:N.
void check_device_name(const std::string& name);

/// The CPU, whose memory core/memory.h describes.
[[nodiscard]] std::shared_ptr<const ComputeDevice> cpu_device();

}  // namespace translate
