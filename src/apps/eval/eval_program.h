#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/eval/evaluation.h"
#include "decoding/model_backend.h"
#include "metrics/significance.h"

namespace translate {

/// What a command line says of scores and of what is made of them.
struct ScoringArguments {
  std::vector<std::string> metrics = metric_names();
  std::string tokenize = "13a";
  bool lowercase = false;
  std::string sentence_scores;       ///< a file to write; empty: none
  std::vector<std::string> against;  ///< files with other systems' translations
  std::string paired = "bootstrap";
  std::optional<std::int64_t> resamples;
  std::string html;  ///< a file to write; empty: none
};

/// Adds --metrics and all that goes with it.
void add_scoring_options(CLI::App& app, ScoringArguments& arguments);

/// The metrics that the command line asks for.
[[nodiscard]] MetricOptions metric_options(const ScoringArguments& arguments);

/// The test that it asks for; `seed` as --seed says.
[[nodiscard]] PairedOptions paired_options(const ScoringArguments& arguments, std::optional<std::uint64_t> seed);

/// The options of translate-eval, for its man page and completions; not to be parsed with.
[[nodiscard]] std::shared_ptr<const CLI::App> eval_command_line();

/// The whole of translate-eval. Returns its exit code. Where the backend throws NeedsLibTorch, before any text was
/// read, translate-eval-libtorch goes on.
int run_eval(int argc, char** argv, const ModelBackend& backend);

}  // namespace translate
