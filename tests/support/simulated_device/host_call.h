#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "support/simulated_device/machine.h"

namespace translate::simulated {

/// Returns a tensor of the CPU over the memory of a device's tensor, which must be open while it is used. `storages`
/// holds one storage for each of the device's, so that views of one remain views of one.
using HostStorages = std::map<const c10::StorageImpl*, c10::Storage>;
[[nodiscard]] at::Tensor host_alias(const at::Tensor& tensor, HostStorages& storages);

/// The memory of some tensors of a device, open for the lifetime of the object, during which nothing else runs there.
class OpenTensors {
 public:
  OpenTensors() : lock_(machine().mutex) {}

  /// Opens the tensor's memory and returns it as a tensor of the CPU.
  [[nodiscard]] at::Tensor open(const at::Tensor& tensor);

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  std::vector<at::Tensor> held_;  ///< blocks must not be released while they are open
  std::vector<OpenBlock> blocks_;
  HostStorages storages_;
};

/// Runs an operator of the device as the CPU's, on the device's own memory, which is open meanwhile. What the operator
/// writes to, it writes there; results that it allocates are moved to the device. Throws c10::Error for tensors that
/// are not all on one device, as CUDA's operators do.
void run_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack);

}  // namespace translate::simulated
