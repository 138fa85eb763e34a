// translate-eval: measures a model, or existing translations, against references. This one starts at once; what takes
// LibTorch it leaves to translate-eval-libtorch.

#include "apps/eval/eval_program.h"

int main(int argc, char** argv) { return translate::run_eval(argc, argv, translate::KernelBackend()); }
