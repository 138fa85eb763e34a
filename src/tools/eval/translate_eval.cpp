// translate-eval: measures a model, or existing translations, against references.

#include "eval/eval_program.h"

int main(int argc, char** argv) { return translate::tools::run_eval(argc, argv); }
