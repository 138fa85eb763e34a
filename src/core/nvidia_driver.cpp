#include "translate/core/nvidia_driver.h"

#include <dlfcn.h>

namespace translate {

bool has_nvidia_driver() { return dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr; }

}  // namespace translate
