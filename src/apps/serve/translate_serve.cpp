// translate-serve: translates over HTTP with a trained model. This one starts at once; what takes LibTorch it leaves to
// translate-serve-libtorch.

#include "apps/serve/serve_program.h"

int main(int argc, char** argv) { return translate::run_serve(argc, argv, translate::KernelBackend()); }
