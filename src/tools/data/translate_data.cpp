// translate-data: cleans and converts parallel text.

#include "data/data_program.h"

int main(int argc, char** argv) { return translate::tools::run_data(argc, argv); }
