// translate-train: trains a model as a configuration says.

#include "translate/apps/train_program.h"
#include "translate/decoding/libtorch_backend.h"

int main(int argc, char** argv) { return translate::run_train(argc, argv, translate::LibTorchBackend()); }
