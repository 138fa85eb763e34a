#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "command_line/decoding_arguments.h"
#include "command_line/program.h"
#include "decoding/model_source.h"
#include "eval/scoring_arguments.h"

namespace translate::tools {

/// The command line of translate-eval.
struct EvalArguments {
  CommonOptions common;
  CheckpointOptions checkpoint;
  DecodingArguments decoding;
  std::string split;  ///< empty: test, or validation if there is no test set
  std::string source;
  std::string target_language;
  std::vector<std::string> references;
  std::string hypotheses;
  std::string output;
  ScoringArguments scoring;
  bool json = false;
  bool robustness = false;
  bool split_sentences = false;
};

/// Adds the options of translate-eval and its examples.
void add_eval_options(CLI::App& app, EvalArguments& arguments);

/// Throws ConfigError if options contradict each other in a way that their parser does not see.
void check_eval_arguments(const EvalArguments& arguments);

}  // namespace translate::tools
