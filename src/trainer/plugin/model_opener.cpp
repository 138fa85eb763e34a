// The two functions of libtranslate_torch that libtranslate asks for when it loads the library
// (core/libraries/operator_library.h, decoding/model_opening.h).

#include <memory>
#include <string>

#include "core/libraries/operator_library.h"
#include "core/threads.h"
#include "decoding/model_opening.h"
#include "model/memory_need.h"
#include "operators/operator_model.h"
#include "tensors/device.h"
#include "tensors/device_memory.h"

namespace translate::trainer {

extern "C" {

[[gnu::visibility("default")]] OperatorVersion translate_torch_version;
[[gnu::visibility("default")]] OpenOnGpu translate_torch_open;

const char* translate_torch_version() { return TRANSLATE_VERSION; }

InferenceModel* translate_torch_open(const LoadedModel& model, const std::string& device, Precision precision) {
  return with_plain_errors([&]() -> InferenceModel* {  // the memory of a GPU may not suffice
    (void)set_threads(kernel_threads());
    const auto place = resolve_device(device);
    if (place.is_cpu()) {
      return nullptr;
    }
    const auto resolved = resolve_precision(precision, kind_of(place));
    return std::make_unique<OperatorModel>(make_modules(model, place), place, resolved).release();
  });
}
}

}  // namespace translate::trainer
