#include "train/train_program.h"

#include <c10/util/Logging.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "checkpoint/checkpoint_directory.h"
#include "checkpoint/manifest.h"
#include "command_line/decoding_arguments.h"
#include "command_line/line_stream.h"
#include "command_line/program.h"
#include "config/config_file.h"
#include "config/enum_names.h"
#include "config/language_code.h"
#include "config/validate.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/process.h"
#include "core/processor.h"
#include "core/stop_signal.h"
#include "core/system/allocator.h"
#include "core/threads.h"
#include "core/utf8.h"
#include "corpora/checked_text.h"
#include "corpora/corpus_reader.h"
#include "distillation/distillation.h"
#include "operators/operator_model.h"
#include "processes/process_launcher.h"
#include "processes/process_place.h"
#include "tensors/device_memory.h"
#include "tensors/libtorch_version.h"
#include "train/data_lint.h"
#include "train/training_arguments.h"
#include "training/training.h"
#include "training/training_check.h"

namespace translate::trainer {

namespace fs = std::filesystem;

namespace {

/// Returns a path as a user would write it: relative if it is in the current folder.
fs::path as_written(const fs::path& path) {
  const auto absolute = fs::absolute(path).lexically_normal();
  const auto relative = absolute.lexically_relative(fs::current_path());
  if (relative.empty() || *relative.begin() == "..") {
    return absolute;
  }
  return relative.string().starts_with('-') ? "." / relative : relative;  // must not look like an option
}

/// Returns how the same command must be changed to resume; empty if no change is needed.
std::string without(const StartOptions& start) {
  if (!start.init.empty()) {
    return " without --init";
  }
  return start.resume == "auto" ? "" : fmt::format(" without --resume {}", shell_word(start.resume));
}

}  // namespace

std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return alphanumeric || std::string_view("_./:@%+=,-").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) {
    return word;
  }
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

std::string command_of(const std::string& program, const fs::path& executable_dir, const std::string& search_path) {
  const auto path = executable_dir / program;
  std::istringstream folders(search_path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code error;
    const auto found = fs::path(folder) / program;
    if (folder.empty() || !fs::exists(found, error)) {
      continue;
    }
    if (fs::equivalent(found, path, error)) {
      return program;
    }
    break;  // another program with that name comes first
  }
  const auto written = as_written(path);
  return shell_word((written.has_parent_path() ? written : "." / written).string());
}

std::string next_steps(const Config& config, const StartOptions& start, const TrainingOutcome& outcome,
                       const fs::path& model) {
  if (outcome.checkpoint.empty()) {
    return "";
  }
  if (outcome.signal) {
    return fmt::format("the same command{} resumes from here", without(start));
  }
  const char* found = std::getenv("PATH");
  const std::string search_path = found == nullptr ? "" : found;
  const auto run = model.empty() ? "--run-dir " + shell_word(as_written(config.run_dir).string())
                                 : "--checkpoint " + shell_word(as_written(model).string());
  const auto command = [&](const std::string& program) { return command_of(program, executable_dir(), search_path); };
  const bool can_be_measured = are_there(config.data.test) || has_validation(config.data);
  const bool skips_test = !config.data.test.empty() && !are_there(config.data.test);
  return fmt::format("next: {}{} {} \"...\"",
                     can_be_measured ? fmt::format("{} {}{}, or ", command("translate-eval"), run,
                                                   skips_test ? " --split validation" : "")
                                     : "",
                     command("translate-infer"), run);
}

namespace {

struct Arguments {
  CommonOptions common;
  std::vector<std::string> files;
  std::vector<std::string> general;
  std::vector<std::string> clean;
  LanguageCodes languages;
  std::optional<double> hours;
  std::optional<double> minutes;
  std::string size;
  TrainingArguments training;
  bool check = false;
  bool lint = false;
  bool strict = false;
  bool json = false;
  bool print_config = false;
  int processes = 1;
  bool shard_optimizer = false;
  int start_timeout = 300;
  int silence_timeout = 60;
};

constexpr int kMostProcessesHere = 1024;
constexpr int kLongestTimeout = 1'000'000;  // seconds

constexpr const char* kFooter = R"(Examples:
  translate-train train.de train.en --hours 8
      train on two files, or on one or several .tsv, .csv, .jsonl, .tmx or .xliff: cleans the text, holds out
      a validation and a test set, and chooses a model for the text, the machine and the time
  translate-train crawled.tsv.gz --hours 8 --clean good.de good.en
      begin with all text, and end on the text of better quality
  translate-train my.tmx --init opus-mt-en-de --minutes 15
      fine-tune a model to a text; if general text (--general) loses BLEU, the weights stay nearer to the start
  translate-train train.de train.en --hours 8 --teachers 2
      train two models and one of the other direction first, and let them write text for the third one
  translate-train train.de train.en --hours 8 --student-of opus-mt-de-en --size tiny
      train a small and fast model on what a ready one translates
  translate-train --config en-fr.json
      train on the corpus that comes with the program; the same command resumes a stopped run
  translate-train --config my.json --set model.dropout=0.2 --run-dir runs/dropout
      change a value of the file, and train in a separate run folder
  translate-train --config my.json --set training.batch_tokens=auto
      use batches as large as the available memory allows
  translate-train --config my.json --check
      check configuration and data and show their sizes, without training
  translate-train --config my.json --lint
      check the training, validation and test text for pairs that are empty, duplicate, copied,
      wrongly encoded, too long or of uneven lengths, for test sentences in the training text, and more
  translate-train --config my.json --run-dir runs/second --init runs/first/average:5
      start from weights trained before (fine-tuning)
  translate-train --config my.json --processes 4
      divide the work among four processes of this machine
  torchrun --nproc-per-node 4 --no-python translate-train --config my.json
      the same with torchrun, which also starts processes on many machines

Ctrl-C saves a checkpoint and stops; the same command resumes from there. Every key of the
configuration is described in configs/README.md. Exit codes: 0 done, 1 failed, 2 wrong option,
configuration or data; 130, 143 and 129 stopped by SIGINT, SIGTERM and SIGHUP after saving.)";

/// Adds the options of a training without a configuration.
void add_file_options(CLI::App& app, Arguments& arguments) {
  const auto is_language = CLI::Validator(
      [](const std::string& text) {
        return is_language_code(text) ? "" : text + ": no code of a language, such as de";
      },
      "");
  app.add_option(
         "FILE", arguments.files,
         "Text to train on without a configuration: two files of lines, or files, archives and folders of pairs")
      ->type_name("");
  app.add_option("--source-language", arguments.languages.source, "With FILE: the language to translate from, e.g. de")
      ->check(is_language)
      ->type_name("CODE");
  app.add_option("--target-language", arguments.languages.target, "With FILE: the language to translate into")
      ->check(is_language)
      ->type_name("CODE");
  app.add_option(
         "--general", arguments.general,
         "With FILE and --init: general text, of the same formats, that is mixed in so that the model goes on to "
         "translate it well (default: that of the model's run)")
      ->type_name("FILE");
  app.add_option(
         "--clean", arguments.clean,
         "With FILE: text of better quality, of the same formats. The training begins with all text and ends on this "
         "one, from which the validation and test sets are held out (default: those of several FILEs that are much "
         "cleaner than the others; none: all text is alike)")
      ->type_name("FILE");
  auto* hours = app.add_option("--hours", arguments.hours,
                               "The time until the training ends; with a configuration the same as "
                               "--set training.max_minutes")
                    ->check(CLI::PositiveNumber)
                    ->type_name("H");
  app.add_option("--minutes", arguments.minutes, "The same as --hours, in minutes")
      ->check(CLI::PositiveNumber)
      ->excludes(hours)
      ->type_name("M");
  app.add_option("--size", arguments.size,
                 "With FILE and teachers: a model that translates fast, as Marian's students: 6 encoder and 2 decoder "
                 "layers with recurrent units, 256 (tiny), 384 (base) or 512 wide (large)")
      ->check(CLI::IsMember({"tiny", "base", "large"}))
      ->type_name("tiny|base|large");
}

void add_options(CLI::App& app, Arguments& arguments) {
  add_file_options(app, arguments);
  app.add_option("--config", arguments.training.config, "The configuration: a file, or the name of one in configs/")
      ->type_name("FILE");
  app.add_option("--run-dir", arguments.training.run_dir,
                 "The folder of the run (default: runs/<name of the configuration>, with FILE runs/SOURCE-TARGET-NAME)")
      ->type_name("DIR");
  add_training_options(app, arguments.training);
  add_teacher_options(app, arguments.training);
  app.add_option("--seed", arguments.training.seed, "The same as --set training.seed=N")
      ->check(is_seed())
      ->type_name("N");
  app.add_flag("--check", arguments.check, "Check configuration and data and show sizes and speed, without training")
      ->excludes("--resume");
  auto* lint = app.add_flag("--lint", arguments.lint,
                            "Check the corpora for common problems and show examples, without training")
                   ->excludes("--check")
                   ->excludes("--resume");
  app.add_flag("--strict", arguments.strict,
               "With --lint: exit with code 1 if anything is found; with --check: if there is a warning");
  app.add_flag("--json", arguments.json, "With --lint: print one JSON object instead of text")->needs(lint);
  app.add_option("--processes", arguments.processes,
                 "Train with this number of processes on this machine, which divide each step's batches; on GPUs, each "
                 "takes one")
      ->check(CLI::Range(1, kMostProcessesHere))
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--shard-optimizer", arguments.shard_optimizer,
               "With several processes: divide the optimizer's state, so that each process holds only a share of it");
  app.add_option("--start-timeout", arguments.start_timeout,
                 "With several processes: the time until all of them must have come, in seconds")
      ->check(CLI::Range(1, kLongestTimeout))
      ->type_name("S")
      ->capture_default_str();
  app.add_option("--silence-timeout", arguments.silence_timeout,
                 "With several processes: the time without a sign of life from one of them after which training stops, "
                 "in seconds; at least ten times the longest batch")
      ->check(CLI::Range(1, kLongestTimeout))
      ->type_name("S")
      ->capture_default_str();
  app.add_flag("--print-config", arguments.print_config,
               "Print the complete resulting configuration as JSON, without training");
  add_common_options(app, arguments.common, Work::kTraining);
  app.footer(kFooter);
}

int lint(const Config& config, const Arguments& arguments) {
  const auto form = arguments.json ? LintForm::kJson : LintForm::kText;
  const auto report = lint_data(config, arguments.training.start.init, form);
  if (arguments.json) {
    print_result(report.text);
  } else {
    print_report(report.text);
  }
  return arguments.strict && report.findings > 0 ? 1 : 0;
}

int check(const Config& config, const Arguments& arguments, const c10::Device& device) {
  check_ready_models(config.distillation);
  const auto report = check_training(config, arguments.training.start, device);
  print_report(report.text);
  if (is_on(config.distillation)) {
    log_info(fmt::format("distillation: these are the figures of a training on the real text; {}",
                         describe(config.distillation)));
  }
  log_advice(report.advice);
  return arguments.strict && std::ranges::any_of(report.advice, &Advice::is_warning) ? 1 : 0;
}

/// Returns the processes of this training. Throws ConfigError if a launcher has started this process and --processes
/// asks for more.
ProcessGroupOptions process_options(const Arguments& arguments) {
  ProcessGroupOptions options;
  options.limits = {.start = std::chrono::seconds(arguments.start_timeout),
                    .silence = std::chrono::seconds(arguments.silence_timeout)};
  options.sharding = arguments.shard_optimizer ? OptimizerSharding::kRows : OptimizerSharding::kNone;
  if (const auto place = process_place()) {
    if (arguments.processes > 1 && !environment_variable(kLaunchedVariable)) {
      throw ConfigError(fmt::format("--processes {}: {} has already started {} processes; leave the option out",
                                    arguments.processes, place->launcher, place->size));
    }
    options.place = *place;
  }
  return options;
}

/// Logging in one of several processes: the first one reports, the others only warn.
void start_logging_as(const ProcessPlace& place, const CommonOptions& common) {
  auto level = log_level_of(common.log_level).value_or(LogLevel::kInfo);
  if (common.quiet || place.rank > 0) {
    level = std::max(level, LogLevel::kWarning);
  }
  initialise_logging(level, place.rank > 0 ? fmt::format("rank {}", place.rank) : "");
}

/// The threads of this process, if it shares the machine with others and the user has not chosen a number: torchrun's
/// OMP_NUM_THREADS=1 would leave processors idle.
int threads_here(const CommonOptions& common, const ProcessPlace& place) {
  if (common.threads > 0 || place.local_size == 1) {
    return common.threads;
  }
  return threads_of_process(available_processors(), static_cast<int>(std::thread::hardware_concurrency()),
                            place.local_size);
}

/// Throws ConfigError if an option has no meaning.
void check_strict(const Arguments& arguments) {
  if (arguments.strict && !arguments.lint && !arguments.check) {
    throw ConfigError("--strict has a meaning with --check and with --lint");
  }
}

/// Throws ConfigError if one GPU is named for several processes, each of which takes its own.
void check_device_for(int processes, const std::string& device) {
  if (processes > 1 && device.starts_with("cuda:")) {
    throw ConfigError(fmt::format(
        "--device {}: {} processes cannot share one GPU, each takes that of its number on its machine; give "
        "--device cuda (CUDA_VISIBLE_DEVICES chooses among the GPUs)",
        device, processes));
  }
}

/// True if this process only starts others and waits for them.
bool launches(const Arguments& arguments) {
  return arguments.processes > 1 && !arguments.check && !arguments.lint && !arguments.print_config &&
         !environment_variable(kLaunchedVariable);
}

/// The minutes that the options give.
std::optional<double> given_minutes(const Arguments& arguments) {
  constexpr double kHour = 60.0;
  return arguments.hours ? std::optional(*arguments.hours * kHour) : arguments.minutes;
}

/// Throws ConfigError if an option is given that needs a configuration.
void check_files_alone(const Arguments& arguments, const ProcessPlace& place) {
  if (const auto& file = arguments.files.front(); file.ends_with(".json")) {
    throw ConfigError(
        fmt::format("{}: a configuration is given by --config {}; files of pairs in JSON are called .jsonl", file,
                    shell_word(file)));
  }
  const auto is_setting = [](const std::string& file) {
    return file.find('=') != std::string::npos && !std::filesystem::exists(file);
  };
  if (const auto setting = std::ranges::find_if(arguments.files, is_setting); setting != arguments.files.end()) {
    throw ConfigError(
        fmt::format("{}: --set takes one setting at a time: write --set {}", *setting, shell_word(*setting)));
  }
  const auto& training = arguments.training;
  const std::pair<bool, const char*> others[] = {{!training.config.empty(), "--config"},
                                                 {arguments.check, "--check"},
                                                 {arguments.lint, "--lint"},
                                                 {arguments.strict, "--strict"},
                                                 {arguments.print_config, "--print-config"},
                                                 {training.start.resume != "auto", "--resume"},
                                                 {training.scale_batch != 1, "--scale-batch"},
                                                 {arguments.processes > 1 || place.size > 1, "--processes"}};
  for (const auto& [is_given, option] : others) {
    if (is_given) {
      throw ConfigError(
          fmt::format("{} cannot be given together with files, for which a configuration is written into the folder of "
                      "the run: give "
                      "--config FOLDER/recipe.json in their place",
                      option));
    }
  }
}

/// The size that --size names.
std::optional<StudentSize> size_of(const std::string& name) {
  if (name.empty()) {
    return std::nullopt;
  }
  return name == "tiny" ? StudentSize::kTiny : name == "base" ? StudentSize::kBase : StudentSize::kLarge;
}

RecipeRequest recipe_request(const Arguments& arguments) {
  auto training = arguments.training;
  const auto distillation = take_distillation(training);
  RecipeRequest request{.files = {arguments.files.begin(), arguments.files.end()},
                        .languages = arguments.languages,
                        .minutes = given_minutes(arguments),
                        .run_dir = training.run_dir,
                        .overrides = training.overrides,
                        .seed = training.seed,
                        .init = training.start.init,
                        .general = {arguments.general.begin(), arguments.general.end()},
                        .distillation = distillation,
                        .size = size_of(arguments.size)};
  if (request.size && !is_on(distillation)) {
    throw ConfigError("--size is that of a model with teachers: give --student-of MODEL or --teachers N, too");
  }
  if (!request.init.empty() && is_on(distillation)) {
    throw ConfigError(
        "--init fine-tunes a model, and a distillation trains new ones: give --init, or --teachers or --student-of");
  }
  if (arguments.clean == std::vector<std::string>{"none"}) {
    request.finds_clean = false;
  } else {
    request.clean = {arguments.clean.begin(), arguments.clean.end()};
  }
  if (const auto& precision = arguments.common.computing.precision; precision != "auto") {
    request.overrides.push_back("training.precision=" + precision);
  }
  return request;
}

/// Trains, measures the result unless it was stopped, and says what can be done next.
int train_and_report(const Config& config, const StartOptions& start, const c10::Device& device,
                     const ProcessGroupOptions& processes,
                     const std::function<fs::path(const Config& config)>& measure = {}) {
  const auto outcome = train(config, start, device, processes);
  const auto model =
      measure && !outcome.signal && !outcome.checkpoint.empty() ? measure(config) : std::filesystem::path();
  const bool is_of_files = static_cast<bool>(measure);  // whose command resumes as it is, with --init
  if (const auto next = next_steps(config, is_of_files ? StartOptions() : start, outcome, model); !next.empty()) {
    log_info(next);
  }
  return outcome.signal ? exit_code_of_signal(*outcome.signal) : 0;
}

/// Throws ConfigError if an option is given that a distillation, which consists of several trainings, does not have.
void check_distillation_options(const Arguments& arguments, const ProcessPlace& place) {
  const auto& start = arguments.training.start;
  const std::pair<bool, const char*> others[] = {{arguments.processes > 1 || place.size > 1, "--processes"},
                                                 {!start.init.empty(), "--init"},
                                                 {start.resume != "auto", "--resume"}};
  for (const auto& [is_given, option] : others) {
    if (is_given) {
      throw ConfigError(
          fmt::format("{} cannot be given with teachers, which are trainings of their own: leave it out, or give "
                      "--teachers 0",
                      option));
    }
  }
}

/// Trains the teachers of a configuration, lets them write, and trains the model of the run.
int run_distillation(const Config& config, const Arguments& arguments, const c10::Device& device,
                     const ProcessGroupOptions& processes) {
  check_ready_models(config.distillation);
  const auto student =
      prepare_student(plan_of(config), {.configure = [&](const auto& part) { return config_of_part(config, part); },
                                        .train = [&](const Config& part) { return train(part, {}, device); }});
  return train_and_report(config_of_part(config, student), arguments.training.start, device, processes);
}

/// Trains on the files of the command line.
int run_on_files(const Arguments& arguments, const ProcessGroupOptions& processes, const RecipeSteps& recipes) {
  check_files_alone(arguments, processes.place);
  if (!recipes.prepare) {
    throw ConfigError("this translate-train is built without reading files that no configuration names; give --config");
  }
  if (!arguments.general.empty() && arguments.training.start.init.empty()) {
    throw ConfigError("--general has a meaning with --init: a new model has nothing to forget");
  }
  if (!arguments.clean.empty() && !arguments.training.start.init.empty()) {
    throw ConfigError(
        "--clean has a meaning without --init, for the end of a training that begins with all text: fine-tune with the "
        "text of better quality alone, or with the other one as --general");
  }
  const auto request = recipe_request(arguments);
  check_ready_models(request.distillation);
  keep_freed_memory();
  const auto device = start_operators(arguments.common.computing.device, arguments.common.threads);
  const auto config = recipes.prepare(request, device);
  auto start = arguments.training.start;
  if (!CheckpointDirectory(config.run_dir).steps().empty()) {
    start.init.clear();  // the run has begun, and goes on
  }
  return train_and_report(config, start, device, processes,
                          [&](const Config& trained) { return recipes.measure(request, trained); });
}

/// Throws ConfigError if an option is given that only a training of files has.
void check_file_options_unused(const Arguments& arguments) {
  if (!arguments.general.empty()) {
    throw ConfigError(
        "--general takes all files that follow it, and needs text of your own, which is given before it: "
        "translate-train my.tmx --init MODEL --minutes 30 --general news.de news.en");
  }
  if (!arguments.clean.empty()) {
    throw ConfigError(
        "--clean takes all files that follow it, and needs other text, which is given before it: "
        "translate-train crawled.tsv.gz --hours 8 --clean good.de good.en");
  }
  if (!arguments.size.empty()) {
    throw ConfigError("--size needs files: a configuration has the size of its model");
  }
  const auto& languages = arguments.languages;
  if (!languages.source.empty() || !languages.target.empty()) {
    throw ConfigError(
        "--source-language and --target-language need files; a configuration has data.source_language and "
        "data.target_language");
  }
}

int run(const Arguments& arguments, const std::vector<std::string>& argv, const RecipeSteps& recipes) {
  const auto processes = process_options(arguments);
  const auto& place = processes.place;
  start_logging_as(place, arguments.common);
  if (!arguments.files.empty()) {
    return run_on_files(arguments, processes, recipes);
  }
  check_file_options_unused(arguments);
  check_strict(arguments);
  auto chosen = arguments.training;
  chosen.minutes = given_minutes(arguments);
  chosen.precision = arguments.common.computing.precision;
  const auto config = read_training_config(chosen);
  if (arguments.print_config) {
    print_result(config_to_json(config) + "\n");
    return 0;
  }
  if (is_on(config.distillation)) {
    check_distillation_options(arguments, place);
  }
  check_device_for(launches(arguments) ? arguments.processes : place.size, arguments.common.computing.device);
  if (launches(arguments)) {
    return launch_processes(arguments.processes, argv);
  }
  keep_freed_memory();
  if (arguments.lint) {
    (void)set_kernel_threads(arguments.common.threads);
    return lint(config, arguments);
  }
  if (place.size > 1) {  // LibTorch's own messages about connections would stand beside ours, with stacks
    ::setenv("TORCH_CPP_LOG_LEVEL", "FATAL", /*replace=*/0);
    c10::initLogging();  // reads the variable, which LibTorch does not do by itself
  }
  const auto device = start_operators(arguments.common.computing.device, threads_here(arguments.common, place));
  if (arguments.check) {
    return check(config, arguments, device);
  }
  return is_on(config.distillation) ? run_distillation(config, arguments, device, processes)
                                    : train_and_report(config, arguments.training.start, device, processes);
}

struct CommandLine {
  CommandLine() {
    arguments.common.libraries = fmt::format("LibTorch {}", libtorch_version());
    add_options(app, arguments);
  }

  CLI::App app{"Trains an encoder-decoder Transformer on pairs of sentences.", "translate-train"};
  Arguments arguments;
};

}  // namespace

std::shared_ptr<const CLI::App> train_command_line() {
  const auto line = std::make_shared<const CommandLine>();
  return {line, &line->app};
}

int run_train(int argc, char** argv, const RecipeSteps& recipes) {
  end_with_exit_code_on_stop_signals();
  ignore_broken_pipes();  // a run continues without its terminal; log.txt has all messages
  CommandLine line;
  return run_program(line.app, argc, argv, [&] {
    return with_plain_errors([&] { return run(line.arguments, {argv, argv + argc}, recipes); });
  });
}

}  // namespace translate::trainer
