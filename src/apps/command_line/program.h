#pragma once

#include <c10/core/Device.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "decoding/model_backend.h"

namespace translate {

/// What a program does with a model: it decides which --precision there is, and what auto means.
enum class Work { kTraining, kTranslation, kEvaluation };

/// What --version prints: the program and its version, LibTorch's version, the processor's instructions that the
/// kernels use and the precisions that the program has on this machine's CPU. Needs no LibTorch.
[[nodiscard]] std::string version_text(const std::string& program, Work work);

/// A line for each option of the parsed command line that `app` does not have, with the option that was probably meant
/// ("unknown option --confg; did you mean --config?"), and for each argument that it does not take; "" where all are
/// known. An argument alone (the value of an unknown option, it may be) is named only where no option is unknown.
[[nodiscard]] std::string unknown_options(const CLI::App& app);

/// The options that all programs have.
struct CommonOptions {
  std::string device = "auto";     ///< auto, cpu, cuda or cuda:N
  int threads = 0;                 ///< 0 = the processors this process may use
  std::string precision = "auto";  ///< auto, fp32, bf16 or, but for training, int8
  bool exact = false;  ///< auto stays with the numbers that the model was trained in, where 8 bits are faster
  std::string log_level = "info";  ///< debug, info, warning, error or off
  bool quiet = false;              ///< warnings and errors only
};

/// Adds --device, --threads, --precision, --log-level, --quiet and --version to a program, and gives it the
/// HelpFormatter.
void add_common_options(CLI::App& app, CommonOptions& options, Work work);

/// Sets up logging as the options say.
void start_logging(const CommonOptions& options);

/// Sets the number of threads and finds the device. Throws as ModelBackend::start does; but where `auto` would need
/// LibTorch to look for a GPU and the program with LibTorch is not installed, it is the CPU, with a notice.
[[nodiscard]] c10::Device start_computing(const CommonOptions& options, const ModelBackend& backend);

/// Parses the command line and runs `body`, whose result is the exit code. Errors become one message on stderr and
/// their exit code: 2 for the user's mistakes, the command line's among them, 1 for everything else that fails.
/// NeedsLibTorch is none: the process goes on as `<program>-libtorch`, which lies beside the program and does the same
/// with LibTorch, with the same arguments. Where that is not installed, the message names its package.
int run_program(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

/// The folder of the running program.
[[nodiscard]] std::filesystem::path executable_dir();

}  // namespace translate
