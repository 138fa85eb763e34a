// translate-serve: translates over HTTP with a trained model. This program starts at once; it leaves work that needs
// LibTorch to translate-serve-libtorch.

#include "apps/serve/serve_program.h"

int main(int argc, char** argv) { return translate::run_serve(argc, argv, translate::KernelBackend()); }
