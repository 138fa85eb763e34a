#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eval/metric_command.h"
#include "eval/named_metrics.h"
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
  std::string html;                           ///< the file to write; empty: none
  std::optional<std::string> metric_command;  ///< a program that scores, with its arguments
  std::string metric_name;                    ///< of its scores; empty: the program's name
};

/// Adds --metrics and the other options of the scores.
void add_scoring_options(CLI::App& app, ScoringArguments& arguments);

/// Returns the metrics that the command line asks for.
[[nodiscard]] MetricOptions metric_options(const ScoringArguments& arguments);

/// Returns the metric command that the command line asks for, if any. Throws the errors of make_metric_command.
[[nodiscard]] std::optional<MetricCommand> metric_command(const ScoringArguments& arguments);

/// Returns the significance test that the command line asks for; `seed` is the value of --seed.
[[nodiscard]] PairedOptions paired_options(const ScoringArguments& arguments, std::optional<std::uint64_t> seed);

}  // namespace translate::tools
