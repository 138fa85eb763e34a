// translate-train: trains a model as a configuration says.

#include "apps/train/train_program.h"
#include "core/process.h"

#ifndef __SANITIZE_ADDRESS__  // the sanitizer cannot be called before it is initialised
namespace {

/// Runs before the libraries are initialised, which takes LibTorch a fifth of a second: a signal during that time ends
/// the program with its exit code.
[[gnu::section(".preinit_array"),
  gnu::used]] void (*const kFirst)() noexcept = translate::end_with_exit_code_on_stop_signals;

}  // namespace
#endif

int main(int argc, char** argv) { return translate::run_train(argc, argv); }
