#pragma once

#include "translate/decoding/model_backend.h"

namespace translate {

/// The whole of translate-eval. Returns its exit code. Where the backend throws NeedsLibTorch, before any text was
/// read, translate-eval-libtorch goes on.
int run_eval(int argc, char** argv, const ModelBackend& backend);

}  // namespace translate
