// translate-serve-libtorch: translate-serve with all functions that need LibTorch.

#include "apps/serve/serve_program.h"
#include "decoding/operators/libtorch_backend.h"

int main(int argc, char** argv) { return translate::run_serve(argc, argv, translate::LibTorchBackend()); }
