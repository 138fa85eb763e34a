#include "train/training_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "checkpoint/checkpoint_directory.h"
#include "checkpoint/manifest.h"
#include "command_line/decoding_arguments.h"
#include "config/config_file.h"
#include "config/enum_names.h"
#include "config/json.h"
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

void add_teacher_options(CLI::App& app, TrainingArguments& arguments) {
  app.add_option(
         "--teachers", arguments.teachers,
         "Train N models first, and one of the other direction; the model of the run then reads what they write, "
         "too (--set distillation.teachers=N). 0: no teachers, even if the configuration has some")
      ->check(CLI::Range(0, 100))
      ->type_name("N");
  app.add_option("--student-of", arguments.teacher,
                 "The same with a ready teacher, in place of those that the configuration would train: a checkpoint, "
                 "an imported model, or an ensemble A,B (distillation.teacher)")
      ->type_name("MODEL");
  app.add_option("--reverse", arguments.reverse,
                 "With --student-of or --teachers: a ready model of the other direction; distillation.reverse")
      ->type_name("MODEL");
}

namespace {

/// Returns the overrides, and those that --teachers, --student-of and --reverse stand for. Throws ConfigError if one of
/// their keys is given already.
std::vector<std::string> with_teacher_options(const TrainingArguments& arguments) {
  auto overrides = arguments.overrides;
  if (arguments.teachers == 0) {  // resets the section of the configuration, before what --set gives
    overrides.insert(overrides.begin(), "distillation={}");
  } else if (arguments.teacher && !arguments.teachers) {
    overrides.insert(overrides.begin(), "distillation.teachers=0");
  }
  const auto add = [&](const std::string& key, const char* option, const auto& given) {
    if (given) {
      check_one_value(arguments.overrides, key, option, /*is_same=*/false);
      overrides.push_back(key + "=" + Json(*given).dump());
    }
  };
  add("distillation.teachers", "--teachers", arguments.teachers);
  add("distillation.teacher", "--student-of", arguments.teacher);
  add("distillation.reverse", "--reverse", arguments.reverse);
  return overrides;
}

}  // namespace

DistillationOptions take_distillation(TrainingArguments& arguments) {
  const auto is_its_own = [](const std::string& text) {
    return text.starts_with("distillation.") || text.starts_with("distillation=");
  };
  auto own = with_teacher_options(arguments);
  std::erase_if(own, [&](const std::string& text) { return !is_its_own(text); });
  std::erase_if(arguments.overrides, is_its_own);
  Config config;
  config.distillation.drawn = 4;  // the rules of docs/recipe.md
  config.distillation.n_best = 5;
  config.distillation.reference_weight = 1.0;
  override_config(config, own, "--set");
  if (is_on(config.distillation)) {
    return config.distillation;
  }
  const auto needs_teachers = [](const std::string& text) {
    return text != "distillation={}" && !text.starts_with("distillation.teacher=") &&
           !text.starts_with("distillation.teachers=");
  };
  if (const auto useless = std::ranges::find_if(own, needs_teachers); useless != own.end()) {
    throw ConfigError(fmt::format(
        "{} has an effect only with teachers: give --teachers N or --student-of MODEL, too, or leave it out",
        replace_invalid_utf8(useless->substr(0, useless->find('=')))));
  }
  return {};
}

Config read_training_config(const TrainingArguments& arguments) {
  if (arguments.config.empty()) {
    throw ConfigError(
        "give a configuration, as --config en-fr.json, or the text and the time, as train.de train.en --hours 8 "
        "(--help "
        "shows more)");
  }
  const auto file = find_config(arguments.config, executable_dir());
  auto config = read_config(file, with_teacher_options(arguments));
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
