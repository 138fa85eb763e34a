#pragma once

namespace translate {

/// Whether this machine has NVIDIA's driver (libcuda.so.1), which is loaded by this; without it no GPU can be used.
[[nodiscard]] bool has_nvidia_driver();

}  // namespace translate
