#include "tensors/libtorch_version.h"

#include <torch/version.h>

namespace translate::trainer {

std::string_view libtorch_version() { return TORCH_VERSION; }

}  // namespace translate::trainer
