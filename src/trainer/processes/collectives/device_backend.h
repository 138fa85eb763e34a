#pragma once

#include <c10/core/Device.h>
#include <c10/util/intrusive_ptr.h>

#include <functional>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <vector>

namespace translate::trainer {

/// The collective operations on tensors of this process's device: a GPU, with NCCL. An operation runs on the device in
/// the order of its work, and nothing but the host can find out that another process will never take part in it. So the
/// host looks at the other processes whenever it waits, and the device's own work is made to wait only for operations
/// that have ended: a device that waits for a lost process would in turn stop the host, where nobody looks.
class DeviceBackend {
 public:
  /// A collective operation that is under way.
  using Operation = c10::intrusive_ptr<c10d::Work>;
  /// Throws if this process shall wait no longer.
  using Check = std::function<void()>;

  /// Connects `device` with those of the other processes, and makes it the current device of this thread. Calls `check`
  /// some times a second until all have come; if it throws, the connecting thread is left behind. Throws what the
  /// backend throws.
  DeviceBackend(c10::intrusive_ptr<c10d::Backend> backend, const c10::Device& device, const Check& check);
  /// Ends operations that are still under way, for some seconds at most.
  ~DeviceBackend();
  DeviceBackend(const DeviceBackend&) = delete;
  DeviceBackend& operator=(const DeviceBackend&) = delete;

  [[nodiscard]] const c10::Device& device() const { return device_; }

  /// Starts an operation. Throws what the backend throws.
  [[nodiscard]] Operation start(const std::function<Operation(c10d::Backend&)>& start);
  /// True if start() has returned it and wait() has not been called.
  [[nodiscard]] bool has_started(const Operation& operation) const;
  /// Waits for the end of an operation, and calls `check` meanwhile; later work of the device's current stream sees the
  /// result. Throws the error of the operation.
  void wait(const Operation& operation, const Check& check);

 private:
  c10::intrusive_ptr<c10d::Backend> backend_;
  c10::Device device_;
  std::vector<Operation> under_way_;
};

}  // namespace translate::trainer
