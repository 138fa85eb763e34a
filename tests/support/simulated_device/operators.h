#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/StorageImpl.h>

#include <cstddef>

namespace translate::simulated {

/// Gives a storage of the device more memory; its content stays.
void grow(c10::StorageImpl& storage, std::size_t bytes);

/// Copies between the device and the host, or within the device, as CUDA does: without waiting only if that was asked
/// for and the host's memory is pinned and of the same type and layout.
at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool non_blocking);

}  // namespace translate::simulated
