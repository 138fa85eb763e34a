// The functions of libtranslate_torch that libtranslate asks for (core/libraries/operator_library.h). Their types are
// declared where they are asked for.

#include <string>

#include "core/libraries/operator_library.h"
#include "operators/libtorch_backend.h"

namespace translate {

extern "C" {

OperatorVersion translate_torch_version;
StartOperatorBackend translate_torch_start;

const char* translate_torch_version() { return TRANSLATE_VERSION; }

const ModelBackend* translate_torch_start(const std::string& device, int threads) {
  return new LibTorchBackend(start_operators(device, threads));
}
}

}  // namespace translate
