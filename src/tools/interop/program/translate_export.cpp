// translate-export: writes a trained model in the format of another system.

#include "interop/program/export_program.h"

int main(int argc, char** argv) { return translate::tools::run_export(argc, argv); }
