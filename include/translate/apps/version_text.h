#pragma once

#include <string>

#include "translate/apps/work.h"

namespace translate {

/// What --version prints: the program and its version, LibTorch's version, the processor's instructions that the
/// kernels use and the precisions that the program has on this machine's CPU. Needs no LibTorch.
[[nodiscard]] std::string version_text(const std::string& program, Work work);

}  // namespace translate
