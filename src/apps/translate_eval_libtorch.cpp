// translate-eval-libtorch: translate-eval with all that takes LibTorch.

#include "translate/apps/eval_program.h"
#include "translate/decoding/libtorch_backend.h"

int main(int argc, char** argv) { return translate::run_eval(argc, argv, translate::LibTorchBackend()); }
