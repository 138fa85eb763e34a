// Autocast for the simulated device, by the lists that CUDA's autocast has.

#include <ATen/ATen.h>
#include <ATen/Operators.h>
#include <ATen/autocast_mode.h>
#include <torch/library.h>

namespace translate::simulated {

// LibTorch's macros name its types without their namespace.
using at::DimnameList;
using at::IntArrayRef;
using at::Scalar;
using at::ScalarType;
using at::Tensor;
using at::TensorList;

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, library) { library.fallback(torch::CppFunction::makeFallthrough()); }

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
#define TRANSLATE_LOWER(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
#define TRANSLATE_FP32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
#define TRANSLATE_FP32_TYPE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
#define TRANSLATE_PROMOTE(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)
  AT_FORALL_LOWER_PRECISION_FP(TRANSLATE_LOWER)
  AT_FORALL_FP32(TRANSLATE_FP32)
  AT_FORALL_FP32_SET_OPT_DTYPE(TRANSLATE_FP32_TYPE)
  AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE)
  AT_FORALL_PROMOTE(TRANSLATE_PROMOTE)
#undef TRANSLATE_LOWER
#undef TRANSLATE_FP32
#undef TRANSLATE_FP32_TYPE
#undef TRANSLATE_PROMOTE
}

}  // namespace translate::simulated
