#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/options.h"

namespace translate::trainer {

/// The options of a command line that make the configuration of a training, and say from where it starts.
struct TrainingArguments {
  std::string config;                  ///< a file, or the name of one in configs/
  std::vector<std::string> overrides;  ///< KEY=VALUE
  std::string run_dir;                 ///< empty: that of the configuration
  StartOptions start;
  std::optional<std::uint64_t> seed;
  std::optional<double> minutes;         ///< the limit of the time
  std::optional<std::int64_t> teachers;  ///< to train first
  std::optional<std::string> teacher;    ///< a ready one
  std::optional<std::string> reverse;    ///< a ready model of the other direction
  int scale_batch = 1;
  std::string precision = "auto";  ///< auto: that of the configuration
};

/// Adds --set, --resume, --init and --scale-batch. `arguments` must live as long as the app.
void add_training_options(CLI::App& app, TrainingArguments& arguments);

/// Adds --teachers, --student-of and --reverse. `arguments` must live as long as the app.
void add_teacher_options(CLI::App& app, TrainingArguments& arguments);

/// Takes the settings of a distillation without a configuration from the options: from --teachers, --student-of and
/// --reverse, and from the overrides of its keys, which are removed; what they do not give follows from the rules of
/// docs/recipe.md. Throws ConfigError if a value is wrong or a key has two.
[[nodiscard]] DistillationOptions take_distillation(TrainingArguments& arguments);

/// Returns the configuration that the options make. Throws the errors of read_config, and ConfigError if --config is
/// missing or an option and --set give a key two values.
[[nodiscard]] Config read_training_config(const TrainingArguments& arguments);

}  // namespace translate::trainer
