#include "explain/program/explain_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command_line/decoding_arguments.h"
#include "command_line/line_stream.h"
#include "command_line/program.h"
#include "config/enum_names.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/system/allocator.h"
#include "decoding/model_source.h"
#include "decoding/target_choice.h"
#include "explain/attention_page.h"
#include "explain/program/alignment_run.h"
#include "explain/program/learn_run.h"
#include "explain/step_report.h"
#include "explain/worked_example.h"
#include "infer/input_arguments.h"
#include "infer/translation_input.h"
#include "infer/translation_loop.h"
#include "infer/translation_output.h"
#include "inference/weight_format.h"
#include "languages/directions.h"
#include "model/memory_need.h"
#include "operators/operator_model.h"
#include "processes/process_place.h"
#include "tensors/device_memory.h"
#include "tensors/libtorch_version.h"
#include "train/training_arguments.h"
#include "training/explanation/explained_step.h"

namespace translate::tools {

namespace {

struct Arguments {
  CommonOptions common;
  CheckpointOptions checkpoint;  ///< its configuration and run folder are also those of --explain-step
  DecodingArguments decoding;    ///< its seed is also that of --explain-step
  InputOptions input;
  OutputOptions output;
  std::string target_language;
  std::string example;
  std::string learn;
  bool alignment_heads = false;
  std::string save;
  bool explain_step = false;
  trainer::TrainingArguments training;
};

constexpr const char* kFooter = R"(Examples:
  translate-explain "The cat sat"
      show the computation from text to translation, step by step; --layer 1 shows more
  translate-explain --config transformer-base.json "The cat sat"
      the same with a model of random weights, before any training
  translate-explain --attention cat.html "The cat sat"
      translate, and write a page that shows the attention, for a browser
  translate-explain --learn model.html "The cat sat"
      write a page in which a small model is computed, to experiment with
  translate-explain --example docs/examples/softmax.json
      compute an exercise and check the results that it claims (docs/explain.md)
  translate-explain --alignment-heads --checkpoint opus --input my.en --save opus-aligned
      measure which attention of a model aligns words best, and write a copy that names it
  translate-explain --explain-step --config my.json
      show what happens in the first training step, or in the next step of a run that was stopped

Exit codes: 0 done, 1 failed (a damaged checkpoint), 2 wrong option, configuration or text.)";

/// An empty file name, as of a variable of the shell that is not set, is no name.
CLI::Validator file_name() {
  return {[](const std::string& value) { return value.empty() ? "expected a file, got an empty name" : ""; }, ""};
}

/// Adds the options that say what is explained, and how.
void add_views(CLI::App& app, Arguments& arguments) {
  auto& viewing = arguments.output.viewing;
  app.add_flag("--explain", viewing.explain,
               "Show how each translation is computed: subwords, every stage with its shape, and each step of the "
               "search, which is greedy unless --beam-size is given (the default without --attention and --score)");
  app.add_option("--layer", viewing.layer, "The layer to show, counted from 0, with the attention of its heads")
      ->check(CLI::Range(0, 1 << 20))
      ->type_name("N");
  app.add_flag("--together", viewing.together, "Show all lines at once, as one batch in which shorter ones are padded");
  app.add_option("--attention", viewing.attention,
                 "Translate, and write a page that shows the attention of each head of each layer; with --explain, do "
                 "both")
      ->type_name("FILE.html");
  app.add_option("--learn", arguments.learn,
                 "Only write a page in which a browser computes the model, to experiment with; TEXT is its example")
      ->check(file_name())
      ->type_name("FILE.html");
  app.add_option("--example", arguments.example,
                 "Compute an exercise from a JSON file instead, in attention, layer norm, loss, ... (docs/explain.md)")
      ->check(file_name())
      ->type_name("FILE");
  auto* heads = app.add_flag("--alignment-heads", arguments.alignment_heads,
                             "Measure how well each attention of the decoder aligns words, on at least 100 lines "
                             "(docs/alignment.md); with --score on translations that are given");
  app.add_option("--save", arguments.save,
                 "With --alignment-heads: write a copy of the checkpoint that aligns by the best one")
      ->check(file_name())
      ->needs(heads)
      ->type_name("FOLDER");
  app.add_flag("--explain-step", arguments.explain_step,
               "Explain the next step of the training that --config describes: batch, teacher forcing, losses, "
               "dropout, gradients and update");
}

void add_options(CLI::App& app, Arguments& arguments) {
  add_input_options(app, arguments.input, "explain");
  add_views(app, arguments);
  app.add_option("--output", arguments.output.path, "The file to write the explanation to (default: stdout)")
      ->type_name("FILE");
  app.add_flag("--json", arguments.output.json, "Print JSON objects instead of text");
  add_checkpoint_options(app, arguments.checkpoint);
  app.add_flag("--random-weights", arguments.checkpoint.random_weights,
               "Use a model of random weights in place of a trained one: that of --config, from its training.seed; "
               "without --tokenizers, tokenizers are trained on the example corpus (implied by --config without "
               "--checkpoint)")
      ->needs("--config")
      ->excludes("--checkpoint")
      ->excludes("--run-dir");
  add_target_language_option(app, arguments.target_language);
  trainer::add_training_options(app, arguments.training);
  add_decoding_options(app, arguments.decoding);
  app.remove_option(app.get_option("--shortlist"));  // the views show all subwords
  add_common_options(app, arguments.common, Work::kEvaluation);
  app.get_option("--seed")->description("For sampling, or with --explain-step for the training: the seed");
  app.footer(kFooter);
}

/// The modes of the program, each with the options that it takes beside those that all take.
struct Mode {
  std::string_view name;  ///< for messages
  std::vector<std::string_view> options;
};

constexpr std::array<std::string_view, 5> kEveryMode = {"--help", "--version", "--log-level", "--quiet", "--threads"};

Mode mode_of(const Arguments& arguments) {
  if (arguments.explain_step) {
    return {.name = "--explain-step",
            .options = {"--explain-step", "--config", "--set", "--run-dir", "--resume", "--init", "--seed",
                        "--scale-batch", "--json", "--output", "--device", "--precision"}};
  }
  if (arguments.alignment_heads) {
    return {.name = "--alignment-heads",
            .options = {"--alignment-heads", "--save", "TEXT", "--input", "--score", "--target", "--json-input",
                        "--output", "--json", "--checkpoint", "--run-dir", "--config", "--tokenizers",
                        "--target-language", "--device"}};
  }
  if (!arguments.example.empty()) {
    return {.name = "--example", .options = {"--example", "--explain", "--json", "--output"}};
  }
  if (!arguments.learn.empty()) {
    // The page computes greedy search in single precision, for each text as a whole.
    return {.name = "--learn",
            .options = {"--learn", "TEXT", "--checkpoint", "--run-dir", "--config", "--tokenizers", "--random-weights",
                        "--target-language", "--max-length", "--greedy", "--device"}};
  }
  return {.name = "--explain",
          .options = {"TEXT",
                      "--input",
                      "--prefixes",
                      "--score",
                      "--json-input",
                      "--strict",
                      "--target",
                      "--paragraphs",
                      "--explain",
                      "--layer",
                      "--together",
                      "--attention",
                      "--output",
                      "--json",
                      "--checkpoint",
                      "--run-dir",
                      "--config",
                      "--tokenizers",
                      "--random-weights",
                      "--target-language",
                      "--device",
                      "--precision",
                      "--beam-size",
                      "--greedy",
                      "--length-penalty",
                      "--length-penalty-kind",
                      "--max-length",
                      "--min-length",
                      "--no-repeat-ngram",
                      "--repetition-penalty",
                      "--batch-tokens",
                      "--sampling",
                      "--temperature",
                      "--top-k",
                      "--top-p",
                      "--epsilon",
                      "--seed"}};
}

/// Throws ConfigError if the command line has an option that the mode does not take: it would be ignored.
void check_options(const CLI::App& app, const Mode& mode) {
  for (const auto* option : app.get_options()) {
    const auto name = option->get_positional() ? option->get_name(/*positional=*/true) : option->get_name();
    const auto takes = [&](const auto& names) { return std::ranges::find(names, name) != names.end(); };
    if (option->count() > 0 && !takes(kEveryMode) && !takes(mode.options)) {
      throw ConfigError(fmt::format("{} has no meaning with {}: leave one of them out", name, mode.name));
    }
  }
}

/// Without --checkpoint and --run-dir, a configuration shows a model of random weights.
void choose_random_weights(CheckpointOptions& options) {
  if (!options.config.empty() && !options.chosen) {
    options.random_weights = true;
  }
  options.chosen = options.chosen || options.random_weights;
}

void write_result(const Arguments& arguments, std::string text) {
  if (text.ends_with('\n')) {
    text.pop_back();  // the writer adds it
  }
  LineWriter writer(arguments.output.path);
  writer.write(text);
  writer.finish();
}

void explain_step(const Arguments& arguments) {
  if (const auto place = trainer::process_place(); place && place->size > 1) {
    throw ConfigError(fmt::format("--explain-step runs in one process, and {} has started {}: run it alone",
                                  place->launcher, place->size));
  }
  auto training = arguments.training;
  training.config = arguments.checkpoint.config;
  training.run_dir = arguments.checkpoint.run_dir;
  training.seed = arguments.decoding.seed;
  training.precision = arguments.common.computing.precision;
  if (training.precision == "int8") {
    throw ConfigError("--precision int8: training computes in fp32 or bf16");
  }
  const auto config = trainer::read_training_config(training);
  keep_freed_memory();
  const auto device = trainer::start_operators(arguments.common.computing.device, arguments.common.threads);
  const auto step = trainer::explain_training_step(config, training.start, device);
  write_result(arguments, arguments.output.json ? step_json(step) : step_text(step));
}

void explain_example(const Arguments& arguments) {
  (void)trainer::start_operators("cpu", arguments.common.threads);
  const auto example = compute_example(arguments.example);
  write_result(arguments, arguments.output.json ? to_json(example) : to_text(example));
}

/// Loads the model and applies the command line to its configuration.
LoadedModel load(const ModelSource& source, const Arguments& arguments) {
  if (source.models() > 1) {
    throw ConfigError("--explain and --attention look into one model; --checkpoint names several");
  }
  auto model = std::move(source.load_all(trainer::draw_weights).front());
  if (!arguments.decoding.beam_size && !arguments.decoding.sampling) {
    model.config.decoding = greedy_options(model.config.decoding);  // the easiest search to follow
  }
  apply_decoding_options(arguments.decoding, model.config);
  return model;
}

/// What computes the translations and the views.
struct ShownModel {
  std::shared_ptr<const InferenceModel> inference;
  Precision precision;  ///< of the views
};

/// `precision`: a value of --precision. The views show the model as it was trained: auto is not int8, and views of int8
/// are in single precision.
ShownModel open_modules(const trainer::Transformer& modules, const c10::Device& device, const std::string& precision) {
  const auto named = from_string<Precision>(precision);
  if (!device.is_cpu() && !named) {
    throw ConfigError(fmt::format("--precision {} needs the CPU: --device cpu", precision));
  }
  const auto of_views = resolve_precision(named.value_or(Precision::kFp32), trainer::kind_of(device));
  if (!device.is_cpu()) {
    return {trainer::make_inference_model(modules, device, of_views), of_views};
  }
  return {trainer::pack_modules(modules, cpu_weight_format(precision, /*exact=*/true, modules->options())), of_views};
}

/// Translates the input and shows how; returns the exit code.
int view(Arguments arguments) {
  keep_freed_memory();
  arguments.input.viewing = true;
  TranslationInput input(arguments.input);
  const auto device = trainer::start_operators(arguments.common.computing.device, arguments.common.threads);
  const ModelSource source(arguments.checkpoint, Verify::kInference);
  const auto model = load(source, arguments);
  const auto modules = trainer::make_modules(model, device);
  const auto [inference, precision] = open_modules(modules, device, arguments.common.computing.precision);
  auto how = options_for_models(std::span(&model, 1));
  choose_target(directions(model.config, model.tokenizers.source), arguments.target_language, kTargetLanguageOption,
                how);
  Translator translator(inference, model.tokenizers.source, model.tokenizers.target, how);
  auto options = arguments.output;
  options.lines_before = input.next_line() - 1;
  options.input = arguments.input.path;
  options.score = arguments.input.score;
  auto viewer = std::make_unique<ModelViewer>(options,
                                              trainer::ObservedModel{.config = model.config,
                                                                     .tokenizers = model.tokenizers,
                                                                     .modules = modules,
                                                                     .device = device,
                                                                     .precision = precision},
                                              source.title());
  TranslationOutput output(options, std::move(viewer));
  name_default_model(arguments.checkpoint, source);
  const auto errors = translate_input(input, arguments.input.score, translator, output);
  return report_unread_lines(errors, options.json, "explained");
}

int run(const CLI::App& app, Arguments arguments) {
  start_logging(arguments.common);
  check_options(app, mode_of(arguments));
  if (arguments.explain_step) {
    explain_step(arguments);
    return 0;
  }
  if (!arguments.example.empty()) {
    explain_example(arguments);
    return 0;
  }
  warn_of_file_name(arguments.input);
  if (arguments.alignment_heads) {
    write_result(arguments, measure_alignment_heads({.common = arguments.common,
                                                     .checkpoint = arguments.checkpoint,
                                                     .input = arguments.input,
                                                     .target_language = arguments.target_language,
                                                     .save = arguments.save,
                                                     .json = arguments.output.json}));
    return 0;
  }
  choose_random_weights(arguments.checkpoint);
  if (!arguments.learn.empty()) {
    write_learn_page({.page = arguments.learn,
                      .common = arguments.common,
                      .checkpoint = arguments.checkpoint,
                      .decoding = arguments.decoding,
                      .target_language = arguments.target_language,
                      .sentences = arguments.input.texts});
    return 0;
  }
  auto& viewing = arguments.output.viewing;
  const bool has_other_output = !viewing.attention.empty() || arguments.input.score;
  const bool is_explained = viewing.layer || viewing.together || !has_other_output;
  viewing.explain = viewing.explain || is_explained;
  return view(std::move(arguments));
}

struct CommandLine {
  CommandLine() {
    arguments.common.libraries = fmt::format("LibTorch {}", trainer::libtorch_version());
    add_options(app, arguments);
  }

  CLI::App app{"Shows how a model computes its translations, and how it is trained.", "translate-explain"};
  Arguments arguments;
};

}  // namespace

std::shared_ptr<const CLI::App> explain_command_line() {
  const auto line = std::make_shared<const CommandLine>();
  return {line, &line->app};
}

int run_explain(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  CommandLine line;
  return run_program(line.app, argc, argv,
                     [&] { return trainer::with_plain_errors([&] { return run(line.app, line.arguments); }); });
}

}  // namespace translate::tools
