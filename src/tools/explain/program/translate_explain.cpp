// translate-explain: shows how a model computes and how it is trained.

#include "explain/program/explain_program.h"

int main(int argc, char** argv) { return translate::tools::run_explain(argc, argv); }
