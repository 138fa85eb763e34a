// translate-infer: translates text with a trained model.

#include "infer/infer_program.h"

int main(int argc, char** argv) { return translate::run_infer(argc, argv); }
