// translate-train: trains a model as a configuration says.

#include "train/train_program.h"

int main(int argc, char** argv) { return translate::trainer::run_train(argc, argv); }
