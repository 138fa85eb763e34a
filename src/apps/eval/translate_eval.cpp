// translate-eval: measures a model, or existing translations, against references. This program starts at once; it
// leaves work that needs LibTorch to translate-eval-libtorch.

#include "apps/eval/eval_program.h"

int main(int argc, char** argv) { return translate::run_eval(argc, argv, translate::KernelBackend()); }
