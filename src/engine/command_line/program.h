#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "decoding/model_opening.h"

namespace translate {

/// The purpose of a program. It determines the values of --precision and the meaning of auto. A conversion computes
/// nothing: it has neither --device nor --threads, and --precision only as an option of its own.
enum class Work { kTraining, kTranslation, kEvaluation, kConversion };

/// Returns the output of --version: the program and its version, `libraries` (CommonOptions::libraries), the
/// processor's instructions that the kernels use, and the precisions that the program has on this machine's CPU (not
/// for conversions).
[[nodiscard]] std::string version_text(const std::string& program, Work work, const std::string& libraries);

/// Returns a line for each option of the parsed command line that `app` does not have, with the option that was
/// probably meant ("unknown option --confg; did you mean --config?"), and for each argument that it does not take; ""
/// if all are known. An unknown argument is named only if no option is unknown, because it may be the value of such an
/// option.
[[nodiscard]] std::string unknown_options(const CLI::App& app);

/// The options that all programs have.
struct CommonOptions {
  ComputeOptions computing;        ///< in training, precision is not int8
  int threads = 0;                 ///< 0 = the processors this process may use
  std::string log_level = "info";  ///< debug, info, warning, error or off
  bool quiet = false;              ///< warnings and errors only
  std::string libraries;           ///< a line of --version about libraries, such as "LibTorch 2.11.0" (empty: none)
};

/// Adds --device, --threads, --precision (not for conversions), --log-level, --quiet and --version to a program, and
/// sets its HelpFormatter.
void add_common_options(CLI::App& app, CommonOptions& options, Work work);

/// Sets up logging as the options say.
void start_logging(const CommonOptions& options);

/// Keeps freed memory for later, and sets the number of threads of the kernels. Throws ConfigError if there is no
/// device of the name that the options give.
void start_computing(const CommonOptions& options);

/// Parses the command line and runs `body`, whose result is the exit code. An error becomes one message on stderr and
/// an exit code: 2 for a user's mistake, including a wrong command line, and 1 for all other failures.
int run_program(CLI::App& app, int argc, char** argv, const std::function<int()>& body);

}  // namespace translate
