#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command_line/program.h"
#include "eval/evaluation.h"
#include "metrics/significance.h"

namespace translate::tools {

/// The command line's options for the metrics and the files with their results.
struct ScoringArguments {
  std::vector<std::string> metrics = metric_names();
  std::string tokenize = "13a";
  bool lowercase = false;
  std::string sentence_scores;       ///< the file to write; empty: none
  std::vector<std::string> against;  ///< files with other systems' translations
  std::string paired = "bootstrap";
  std::optional<std::int64_t> resamples;
  std::string html;  ///< the file to write; empty: none
};

/// Adds --metrics and the other options of the scores.
void add_scoring_options(CLI::App& app, ScoringArguments& arguments);

/// Returns the metrics that the command line asks for.
[[nodiscard]] MetricOptions metric_options(const ScoringArguments& arguments);

/// Returns the significance test that the command line asks for; `seed` is the value of --seed.
[[nodiscard]] PairedOptions paired_options(const ScoringArguments& arguments, std::optional<std::uint64_t> seed);

/// Returns the options of translate-eval for its man page and completions; it must not be used for parsing.
[[nodiscard]] std::shared_ptr<const CLI::App> eval_command_line();

/// Runs translate-eval and returns its exit code.
int run_eval(int argc, char** argv);

}  // namespace translate::tools
