#pragma once

#include <c10/core/Device.h>

#include "translate/config/options.h"

namespace translate {

/// The arithmetic that `auto` stands for on `device`: bf16 on a GPU, fp32 on the CPU (where fp32 is the
/// faster of the two for small models and the safe one for all).
[[nodiscard]] Precision resolve_precision(Precision precision, const c10::Device& device);

}  // namespace translate
