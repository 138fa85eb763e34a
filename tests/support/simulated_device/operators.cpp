// Copies, reading a value, dropout, and the fallback for all other operators.

#include "support/simulated_device/operators.h"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <tuple>

#include "support/simulated_device/host_call.h"
#include "support/simulated_device/machine.h"

namespace translate::simulated {

namespace {

/// Whether the device can copy between the tensors by itself.
bool is_direct(const at::Tensor& host, const at::Tensor& other) {
  return machine().pinned.holds(host.const_data_ptr()) && host.is_contiguous() && other.is_contiguous() &&
         host.scalar_type() == other.scalar_type() && host.sizes() == other.sizes();
}

void copy_to_device(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  OpenTensors opened;
  auto& work = machine().work;
  opened.open(to).copy_(from);
  if (non_blocking && is_direct(from, to)) {
    work.add_copy_to_device(from);
  } else {
    work.wait(non_blocking ? WaitKind::kPageableMemory : WaitKind::kCopyToDevice, "copy_");
  }
}

void copy_to_host(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  OpenTensors opened;
  auto& work = machine().work;
  if (non_blocking && is_direct(to, from)) {
    work.add_copy_to_host(opened.open(from).clone(), to);
    return;
  }
  work.wait(non_blocking ? WaitKind::kPageableMemory : WaitKind::kCopyToHost, "copy_");
  at::Tensor(to).copy_(opened.open(from));
}

void copy_on_device(const at::Tensor& from, const at::Tensor& to) {
  TORCH_CHECK(from.device() == to.device(), "copies between simulated devices are not simulated: ", from.device(),
              " to ", to.device());
  OpenTensors opened;
  const auto source = opened.open(from);
  opened.open(to).copy_(source);
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  if (to.sizes() != from.sizes()) {
    to.resize_(from.sizes());
  }
  return copy_from(from, to, /*non_blocking=*/false);
}

at::Scalar local_scalar_dense(const at::Tensor& self) {
  OpenTensors opened;
  machine().work.wait(WaitKind::kValue, "item");
  return at::_local_scalar_dense(opened.open(self));
}

/// The CPU's operator draws from the CPU's default generator; this one draws from the device's, as CUDA's does.
std::tuple<at::Tensor, at::Tensor> native_dropout(const at::Tensor& input, double probability,
                                                  std::optional<bool> train) {
  if (train && !*train) {
    return {input.clone(), at::ones_like(input, input.options().dtype(at::kBool))};
  }
  const auto kept = 1.0 - probability;
  const auto mask = at::empty_like(input, input.options().dtype(at::kBool)).bernoulli_(kept);
  return {input * mask * (kept > 0.0 ? 1.0 / kept : 0.0), mask};
}

}  // namespace

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  if (to.numel() == 0) {
    return to;
  }
  const auto source = from.expand_as(to);
  if (from.is_cpu()) {
    copy_to_device(source, to, non_blocking);
  } else if (to.is_cpu()) {
    copy_to_host(source, to, non_blocking);
  } else {
    copy_on_device(source, to);
  }
  return to;
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("_copy_from", copy_from);
  library.impl("_copy_from_and_resize", copy_from_and_resize);
  library.impl("_local_scalar_dense", local_scalar_dense);
  library.impl("native_dropout", native_dropout);
  // Composed of other operators elsewhere; CUDA has one of its own.
  library.impl("native_layer_norm", torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
}

}  // namespace translate::simulated
