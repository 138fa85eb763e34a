#include "model/fused/fused_kernels.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

#include "core/processor.h"
#include "model/modules/stage_observer.h"

namespace translate {

namespace {

thread_local bool fused_kernels_enabled = false;

}  // namespace

FusedKernels::FusedKernels(bool enabled) : before_(fused_kernels_enabled) { fused_kernels_enabled = enabled; }

FusedKernels::~FusedKernels() { fused_kernels_enabled = before_; }

bool fused_kernels_apply(const at::Tensor& x) {
  return fused_kernels_enabled && x.is_cpu() && x.scalar_type() == at::kFloat && at::GradMode::is_enabled() &&
         !stages_are_observed() &&
         (fused_products() == FactorType::kBfloat16 ? has_bf16_kernels() : has_vector_kernels());
}

FactorType fused_products() {
  return at::autocast::is_autocast_enabled(c10::kCPU) ? FactorType::kBfloat16 : FactorType::kFloat;
}

}  // namespace translate
