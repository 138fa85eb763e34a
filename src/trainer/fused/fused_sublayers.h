#pragma once

#include <c10/core/Device.h>

#include "config/options.h"
#include "modules/execution_context.h"
#include "modules/sublayer_kernels.h"

namespace translate::trainer {

/// The kernels of this folder: each sub-layer with its residual connection, and each embedding, is one operation of
/// autograd.
[[nodiscard]] const SublayerKernels& fused_sublayers();

/// The context for training on `device`: on a CPU with fused_sublayers(), if `fused_kernels` asks for them, else with
/// the modules alone.
[[nodiscard]] ExecutionContext training_context(const c10::Device& device, Precision precision, bool fused_kernels);

}  // namespace translate::trainer
