#include "support/simulated_device/host_call.h"

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/function_schema.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "support/simulated_device/device_generator.h"
#include "support/simulated_device/operators.h"

namespace translate::simulated {

namespace {

/// Operators that take single numbers of the host among the device's tensors, in CUDA as here. The others want all of
/// their tensors on the device.
bool takes_numbers_of_host(const std::string& name) {
  static const std::set<std::string> kNames = {
      "add",        "sub",          "mul",          "div",         "rsub",    "pow",
      "remainder",  "fmod",         "eq",           "ne",          "lt",      "le",
      "gt",         "ge",           "where",        "fill_",       "fill",    "masked_fill",
      "lerp",       "atan2",        "clamp",        "maximum",     "minimum", "logical_and",
      "logical_or", "masked_fill_", "index_put_",   "add_",        "sub_",    "mul_",
      "div_",       "eq_",          "logical_and_", "logical_or_", "xlogy",   "_index_put_impl_"};
  return kNames.contains(name.substr(name.find("::") + 2));
}

/// Operators for whose result the host must learn how many elements it has.
bool has_result_of_unknown_size(const std::string& name) {
  static const std::set<std::string> kNames = {"nonzero",  "masked_select",     "_unique",
                                               "_unique2", "unique_dim",        "unique_consecutive",
                                               "bincount", "repeat_interleave", "unique_dim_consecutive"};
  return kNames.contains(name.substr(name.find("::") + 2));
}

bool is_tensor_type(const c10::Type& type) {
  return type.kind() == c10::TypeKind::TensorType || type.kind() == c10::TypeKind::ListType ||
         type.kind() == c10::TypeKind::OptionalType;
}

bool writes(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

/// One call of an operator.
class HostCall {
 public:
  HostCall(const c10::OperatorHandle& op, torch::jit::Stack& stack)
      : op_(op), schema_(op.schema()), stack_(stack), given_(stack.end() - count(schema_.arguments()), stack.end()) {
    for (const auto& argument : given_) {
      find_device(argument);
    }
    TORCH_CHECK(device_, schema_.name(), ": called for the simulated device without any tensor of it");
  }

  void run() {
    const c10::OptionalDeviceGuard guard(device_);
    record_wait();
    const auto first = stack_.size() - given_.size();
    for (std::size_t i = 0; i < given_.size(); ++i) {
      stack_[first + i] = on_host(given_[i], schema_.arguments()[i]);
    }
    TORCH_CHECK(has_generator_ || !op_.hasTag(at::Tag::nondeterministic_seeded), schema_.name(),
                ": would draw from the CPU's generator");
    op_.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack_);
    for (const auto& [tensor, alias] : written_) {
      follow_resizing(tensor, alias);
    }
    const auto first_result = stack_.size() - schema_.returns().size();
    for (std::size_t i = 0; i < schema_.returns().size(); ++i) {
      stack_[first_result + i] = result(stack_[first_result + i], schema_.returns()[i]);
    }
  }

 private:
  static std::ptrdiff_t count(const std::vector<c10::Argument>& arguments) { return std::ssize(arguments); }

  void find_device(const c10::IValue& value) {
    if (value.isTensor() && value.toTensor().defined() && value.toTensor().is_privateuseone()) {
      const auto device = value.toTensor().device();
      TORCH_CHECK(!device_ || *device_ == device, schema_.name(), ": expected all tensors on one device, found ",
                  *device_, " and ", device);
      device_ = device;
      has_tensors_ = true;
    } else if (value.isDevice() && value.toDevice().is_privateuseone()) {
      const auto device = value.toDevice();
      device_ = c10::Device(c10::kPrivateUse1, device.has_index() ? device.index() : current_device());
    } else if (value.isTensorList() || value.isOptionalTensorList()) {
      for (const c10::IValue& element : value.toListRef()) {
        find_device(element);
      }
    }
  }

  void record_wait() {
    const auto& name = schema_.name();
    const auto& results = schema_.returns();
    const bool gives_value = has_tensors_ && std::ranges::any_of(results, [](const c10::Argument& result) {
                               return !is_tensor_type(*result.type());
                             });
    if (gives_value) {
      machine().work.wait(WaitKind::kValue, name);
    } else if (has_result_of_unknown_size(name)) {
      machine().work.wait(WaitKind::kSizeOfResult, name);
    }
  }

  c10::IValue on_host(const c10::IValue& value, const c10::Argument& argument) {
    if (value.isTensor()) {
      return on_host(value.toTensor(), argument);
    }
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& tensor : value.toTensorVector()) {
        list.push_back(on_host(tensor, argument));
      }
      return list;
    }
    if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> list;
      for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
        list.push_back(tensor ? std::make_optional(on_host(*tensor, argument)) : std::nullopt);
      }
      return list;
    }
    if (value.isDevice()) {
      return c10::Device(c10::kCPU);
    }
    if (argument.name() == "generator") {
      has_generator_ = true;
      return numbers_of(value.toOptional<at::Generator>(), device_->index());
    }
    return value;
  }

  at::Tensor on_host(const at::Tensor& tensor, const c10::Argument& argument) {
    if (!tensor.defined()) {
      return tensor;
    }
    if (!tensor.is_privateuseone()) {
      TORCH_CHECK(tensor.dim() == 0 && takes_numbers_of_host(schema_.name()), schema_.name(),
                  ": expected all tensors on one device, found ", *device_, " and ", tensor.device(), " (argument ",
                  argument.name(), ")");
      return tensor;
    }
    auto alias = opened_.open(tensor);
    if (writes(argument)) {
      written_.emplace_back(tensor, alias);
    }
    return alias;
  }

  /// Gives a tensor the size that its alias got from the operator, and its content if that has other memory now.
  static void follow_resizing(const at::Tensor& tensor, const at::Tensor& alias) {
    if (alias.storage().data() != tensor.storage().data()) {
      grow(*tensor.storage().unsafeGetStorageImpl(), alias.storage().nbytes());
      const OpenBlock block(tensor.storage().data());
      std::memcpy(tensor.storage().mutable_data(), alias.storage().data(), alias.storage().nbytes());
    }
    if (alias.sizes() != tensor.sizes() || alias.strides() != tensor.strides()) {
      tensor.unsafeGetTensorImpl()->set_sizes_and_strides(alias.sizes(), alias.strides());
    }
  }

  c10::IValue result(const c10::IValue& value, const c10::Argument& result) {
    if (value.isTensor()) {
      return result.alias_info() != nullptr ? original_of(value.toTensor()) : on_device(value.toTensor());
    }
    if (value.isTensorList()) {
      c10::List<at::Tensor> list;
      for (const at::Tensor& tensor : value.toTensorVector()) {
        list.push_back(result.alias_info() != nullptr ? original_of(tensor) : on_device(tensor));
      }
      return list;
    }
    return value;
  }

  [[nodiscard]] at::Tensor original_of(const at::Tensor& alias) const {
    const auto found =
        std::ranges::find_if(written_, [&](const auto& written) { return written.second.is_same(alias); });
    TORCH_CHECK(found != written_.end(), schema_.name(), ": the simulated device does not know this view");
    return found->first;
  }

  [[nodiscard]] at::Tensor on_device(const at::Tensor& tensor) const {
    if (!tensor.defined()) {
      return tensor;
    }
    auto moved = at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(*device_));
    const auto bytes = at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.itemsize());
    if (bytes > 0) {
      const OpenBlock block(moved.storage().data());
      std::memcpy(moved.storage().mutable_data(), tensor.const_data_ptr(), bytes);
    }
    return moved;
  }

  const c10::OperatorHandle& op_;
  const c10::FunctionSchema& schema_;
  torch::jit::Stack& stack_;
  std::vector<c10::IValue> given_;
  OpenTensors opened_;
  std::optional<c10::Device> device_;
  bool has_tensors_ = false;
  bool has_generator_ = false;
  std::vector<std::pair<at::Tensor, at::Tensor>> written_;  ///< tensors of the device and their aliases
};

}  // namespace

at::Tensor host_alias(const at::Tensor& tensor, HostStorages& storages) {
  const auto& storage = tensor.storage();
  auto& host = storages[storage.unsafeGetStorageImpl()];
  if (!host) {
    host = c10::make_intrusive<c10::StorageImpl>(
        c10::StorageImpl::use_byte_size_t(), c10::SymInt(static_cast<std::int64_t>(storage.nbytes())),
        c10::DataPtr(const_cast<void*>(storage.data()), c10::Device(c10::kCPU)), c10::GetCPUAllocator(),
        /*resizable=*/true);
  }
  auto alias = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(host), c10::DispatchKeySet(c10::DispatchKey::CPU),
                                                        tensor.dtype());
  alias.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides(), tensor.storage_offset());
  return alias;
}

at::Tensor OpenTensors::open(const at::Tensor& tensor) {
  held_.push_back(tensor);
  blocks_.emplace_back(tensor.storage().data());
  return host_alias(tensor, storages_);
}

void run_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) { HostCall(op, *stack).run(); }

}  // namespace translate::simulated
