#pragma once

#include "translate/decoding/model_backend.h"

namespace translate {

/// The whole of translate-serve. Returns its exit code. Where the backend throws NeedsLibTorch, before the server
/// starts, translate-serve-libtorch goes on.
int run_serve(int argc, char** argv, const ModelBackend& backend);

}  // namespace translate
