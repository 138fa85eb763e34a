// The operators that make tensors of the simulated device and give them shapes and storages; none reads its memory.

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include <cstring>
#include <mutex>

#include "support/simulated_device/machine.h"
#include "support/simulated_device/operators.h"

namespace translate::simulated {

void grow(c10::StorageImpl& storage, std::size_t bytes) {
  const c10::DeviceGuard guard(storage.device());
  const std::scoped_lock lock(machine().mutex);
  auto larger = machine().allocator.allocate(bytes);
  const auto kept = std::min(bytes, storage.nbytes());
  if (kept > 0) {
    machine().allocator.copy_data(larger.get(), storage.data(), kept);
  }
  storage.set_data_ptr_noswap(std::move(larger));
  storage.set_nbytes(bytes);
}

namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

void check_options(std::optional<at::Layout> layout, std::optional<bool> pin_memory) {
  TORCH_CHECK(!layout || *layout == at::kStrided, "the simulated device has dense tensors only");
  TORCH_CHECK(!pin_memory || !*pin_memory, "only the host's memory can be pinned");
}

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> type, std::optional<at::Layout> layout,
                 std::optional<at::Device> device, std::optional<bool> pin_memory,
                 std::optional<at::MemoryFormat> format) {
  check_options(layout, pin_memory);
  const c10::OptionalDeviceGuard guard(device);
  return at::detail::empty_generic(size, &machine().allocator, kKeys, c10::dtype_or_default(type), format);
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, std::optional<at::ScalarType> type,
                         std::optional<at::Layout> layout, std::optional<at::Device> device,
                         std::optional<bool> pin_memory) {
  check_options(layout, pin_memory);
  const c10::OptionalDeviceGuard guard(device);
  return at::detail::empty_strided_generic(size, stride, &machine().allocator, kKeys, c10::dtype_or_default(type));
}

const at::Tensor& resize(const at::Tensor& self, at::IntArrayRef size, std::optional<at::MemoryFormat> format) {
  TORCH_CHECK(!format || *format == at::MemoryFormat::Contiguous, "resize_: contiguous tensors only");
  const auto bytes = at::detail::computeStorageNbytesContiguous(size, self.itemsize(),
                                                                static_cast<std::size_t>(self.storage_offset()));
  auto& storage = *self.storage().unsafeGetStorageImpl();
  if (bytes > storage.nbytes()) {
    grow(storage, bytes);
  }
  self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
  return self;
}

at::Tensor& set_storage(at::Tensor& self, at::Storage source, std::int64_t offset, at::IntArrayRef size,
                        at::IntArrayRef stride) {
  auto* impl = self.unsafeGetTensorImpl();
  const bool is_contiguous = stride.size() != size.size();  // no strides were given
  at::native::checkSetStorage<std::int64_t>(self, std::move(source), offset, size,
                                            is_contiguous ? at::IntArrayRef() : stride);
  impl->set_storage_offset(offset);
  if (is_contiguous) {
    impl->set_sizes_contiguous(size);
  } else {
    impl->set_sizes_and_strides(size, stride);
  }
  return self;
}

at::Tensor& set_whole_storage(at::Tensor& self, at::Storage source) {
  const auto elements = static_cast<std::int64_t>(source.nbytes() / self.itemsize());
  return set_storage(self, std::move(source), 0, {elements}, {});
}

at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& source) {
  return set_storage(self, source.storage(), source.storage_offset(), source.sizes(), source.strides());
}

at::Tensor& set_nothing(at::Tensor& self) { return set_tensor(self, at::empty({0}, self.options())); }

at::Tensor as_strided(const at::Tensor& self, at::IntArrayRef size, at::IntArrayRef stride,
                      std::optional<std::int64_t> offset) {
  return at::native::as_strided_tensorimpl(self, size, stride, offset);
}

/// A parameter may move between the host and the device (torch::nn::Module::to): both hold dense tensors.
bool has_compatible_type(const at::Tensor& /*self*/, const at::Tensor& /*from*/) { return true; }

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("_has_compatible_shallow_copy_type", has_compatible_type);
  library.impl("empty.memory_format", empty);
  library.impl("empty_strided", empty_strided);
  library.impl("resize_", resize);
  library.impl("set_.source_Storage_storage_offset", set_storage);
  library.impl("set_.source_Storage", set_whole_storage);
  library.impl("set_.source_Tensor", set_tensor);
  library.impl("set_", set_nothing);
  library.impl("as_strided", as_strided);
  library.impl("view", at::native::view);
  library.impl("_reshape_alias", at::native::_reshape_alias);
  library.impl("unfold", at::native::unfold);
}

}  // namespace translate::simulated
