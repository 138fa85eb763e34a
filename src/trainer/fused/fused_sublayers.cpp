#include "fused/fused_sublayers.h"

namespace translate::trainer {

const SublayerKernels& fused_sublayers() {
  static const FusedSublayers kernels;
  return kernels;
}

ExecutionContext training_context(const c10::Device& device, Precision precision, bool fused_kernels) {
  return {device, precision, fused_kernels && device.is_cpu() ? &fused_sublayers() : nullptr};
}

}  // namespace translate::trainer
