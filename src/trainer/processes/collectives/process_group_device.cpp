// The parts of ProcessGroup for tensors that are not on the CPU.

#include <c10/core/DeviceType.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <exception>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "processes/collectives/error_text.h"
#include "processes/collectives/process_group.h"

namespace translate::trainer {

namespace {

/// Returns the failure of another process because of which an operation on the device has failed, or else its own
/// error.
ProcessFailure failure_of_device(const NeighbourWatch& watch, const std::exception& error) {
  auto failure = watch.find_lost_process();
  failure.message += fmt::format(" (an operation on the device failed: {})", one_line(error));
  return failure;
}

}  // namespace

void ProcessGroup::check_device_types(const c10::Device& device) {
  const auto types = gather_texts(c10::DeviceTypeName(device.type(), /*lower_case=*/true));
  for (std::size_t rank = 1; rank < types.size(); ++rank) {
    if (types[rank] != types.front()) {
      throw ConfigError(
          fmt::format("the processes of one training need devices of one kind: rank 0 has {}, rank {} has {}; choose "
                      "one with --device",
                      types.front(), rank, types[rank]));
    }
  }
}

void ProcessGroup::connect_device(const c10::Device& device, const BackendMaker& make) {
  if (is_alone()) {
    return;
  }
  check_device_types(device);
  if (device.is_cpu()) {
    return;
  }
  const auto backend = make(c10::make_intrusive<c10d::PrefixStore>("device", store_->clone()), rank(), size());
  try {
    device_.emplace(backend, device, [this] { check_neighbours(); });
  } catch (const ProcessLost&) {
    throw;
  } catch (const std::exception& error) {
    throw RuntimeError(fmt::format("rank {} of {} cannot connect {} with the devices of the other processes: {}",
                                   place_.rank, place_.size, device.str(), one_line(error)));
  }
}

ProcessGroup::Operation ProcessGroup::start(const at::Tensor& tensor,
                                            const std::function<Operation(c10d::Backend&)>& operation) {
  if (is_alone()) {
    return nullptr;
  }
  if (tensor.device().is_cpu()) {
    return operation(*backend_);
  }
  TORCH_CHECK(device_ && device_->device() == tensor.device(), "no connection for tensors of ", tensor.device());
  try {
    return device_->start(operation);
  } catch (const std::exception& error) {
    throw_lost(failure_of_device(*watch_, error));
  }
}

void ProcessGroup::wait_for_device(const Operation& operation) {
  try {
    device_->wait(operation, [this] { check_neighbours(); });
  } catch (const ProcessLost&) {
    throw;
  } catch (const std::exception& error) {
    throw_lost(failure_of_device(*watch_, error));
  }
  watch_->progress();
}

}  // namespace translate::trainer
