// translate-import: makes a checkpoint of another system's model.

#include "interop/program/import_program.h"

int main(int argc, char** argv) { return translate::tools::run_import(argc, argv); }
