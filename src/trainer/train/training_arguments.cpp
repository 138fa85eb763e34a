#include "train/training_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "checkpoint/checkpoint_directory.h"
#include "checkpoint/manifest.h"
#include "command_line/decoding_arguments.h"
#include "config/config_file.h"
#include "config/enum_names.h"
#include "core/error.h"
#include "core/process.h"
#include "core/utf8.h"

namespace translate::trainer {

namespace {

constexpr int kMostScaling = 1024;

}  // namespace

void add_training_options(CLI::App& app, TrainingArguments& arguments) {
  app.add_option("--set", arguments.overrides,
                 "Set one key of the configuration, e.g. training.max_steps=500 (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_option(
         "--resume", arguments.start.resume,
         "auto: resume the run where it stopped; never: start again, and keep the old run under another name; or the "
         "checkpoint to resume from (latest, best, step-N, epoch-N, a path)")
      ->type_name("WHICH")
      ->capture_default_str();
  app.add_option("--init", arguments.start.init,
                 "Start from these weights with a fresh optimizer: a checkpoint (runs/first/average:5, a folder), a "
                 ".safetensors file or PyTorch's .pt")
      ->type_name("WHICH");
  app.add_option("--scale-batch", arguments.scale_batch,
                 "Multiply training.accumulation_steps by N, for a batch that grows with the number of processes")
      ->check(CLI::Range(1, kMostScaling))
      ->type_name("N")
      ->capture_default_str();
}

namespace {

/// If `file` is the config.json of a run's folder, the run is the one in that folder, which may have been moved or
/// copied since: `run_dir` becomes that folder, and files of the configuration that are no longer there are searched
/// for relative to it (follow_moved_run). An override of run_dir takes precedence. Any other file changes nothing.
void stay_in_run_folder(Config& config, const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  const auto folder = std::filesystem::absolute(file).lexically_normal().parent_path();
  if (file.filename() != kConfigFile || !std::filesystem::is_directory(folder / kCheckpointsFolder)) {
    return;
  }
  follow_moved_run(config, {.then = config.run_dir, .now = folder});
  const auto gives_run_dir = [](const std::string& text) { return text.starts_with("run_dir="); };
  if (std::ranges::none_of(overrides, gives_run_dir)) {
    config.run_dir = folder;
  }
}

/// Throws ConfigError if --set gives a key another value than the option for this key does.
void check_one_value(const std::vector<std::string>& overrides, const std::string& key, const std::string& option,
                     bool is_same) {
  const auto given =
      std::ranges::find_if(overrides, [&](const std::string& text) { return text.substr(0, text.find('=')) == key; });
  if (given != overrides.end() && !is_same) {
    throw ConfigError(fmt::format("{} and --set {} give {} two values: leave one of them out", option,
                                  replace_invalid_utf8(*given), key));
  }
}

}  // namespace

Config read_training_config(const TrainingArguments& arguments) {
  if (arguments.config.empty()) {
    throw ConfigError(
        "give a configuration, as --config en-fr.json, or the text and the time, as train.de train.en --hours 8 "
        "(--help "
        "shows more)");
  }
  const auto file = find_config(arguments.config, executable_dir());
  auto config = read_config(file, arguments.overrides);
  stay_in_run_folder(config, file, arguments.overrides);
  const auto take = [&](const std::string& key, const std::string& option, auto& value, const auto& given) {
    check_one_value(arguments.overrides, key, option, value == given);
    value = given;
  };
  if (!arguments.run_dir.empty()) {
    take("run_dir", "--run-dir " + replace_invalid_utf8(arguments.run_dir), config.run_dir,
         std::filesystem::absolute(arguments.run_dir).lexically_normal());
  }
  if (arguments.seed) {
    take("training.seed", fmt::format("--seed {}", *arguments.seed), config.training.seed, *arguments.seed);
  }
  if (arguments.minutes) {
    take("training.max_minutes", "--hours or --minutes", config.training.max_minutes, *arguments.minutes);
  }
  config.training.accumulation_steps *= arguments.scale_batch;
  if (arguments.precision != "auto") {
    take("training.precision", "--precision " + arguments.precision, config.training.precision,
         *from_string<Precision>(arguments.precision));
  }
  return config;
}

}  // namespace translate::trainer
