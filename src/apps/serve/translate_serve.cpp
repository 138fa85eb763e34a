// translate-serve: translates over HTTP with a trained model.

#include "apps/serve/serve_program.h"

int main(int argc, char** argv) { return translate::run_serve(argc, argv); }
