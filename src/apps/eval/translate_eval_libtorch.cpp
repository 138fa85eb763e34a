// translate-eval-libtorch: translate-eval with all functions that need LibTorch.

#include "apps/eval/eval_program.h"
#include "decoding/operators/libtorch_backend.h"

int main(int argc, char** argv) { return translate::run_eval(argc, argv, translate::LibTorchBackend()); }
