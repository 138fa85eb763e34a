// translate-serve: translates over HTTP with a trained model.

#include "serve/program/serve_program.h"

int main(int argc, char** argv) { return translate::run_serve(argc, argv); }
