// translate-serve-libtorch: translate-serve with all that takes LibTorch.

#include "translate/apps/serve_program.h"
#include "translate/decoding/libtorch_backend.h"

int main(int argc, char** argv) { return translate::run_serve(argc, argv, translate::LibTorchBackend()); }
