#include "infer/infer_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>
#include <vector>

#include "checkpoint/checkpoint_directory.h"
#include "checkpoint/runs.h"
#include "command_line/decoding_arguments.h"
#include "command_line/line_stream.h"
#include "command_line/program.h"
#include "config/key_table.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/libraries/operator_library.h"
#include "core/logging.h"
#include "decoding/model_source.h"
#include "decoding/target_choice.h"
#include "infer/learn_run.h"
#include "infer/model_list.h"
#include "infer/shard.h"
#include "infer/translation_input.h"
#include "infer/translation_loop.h"
#include "infer/translation_output.h"
#include "languages/directions.h"

namespace translate {

namespace {

struct Arguments {
  CommonOptions common;
  CheckpointOptions checkpoint;
  DecodingArguments decoding;
  InputOptions input;
  std::string shard;  ///< "K/N" or "auto" (empty: the whole input)
  std::string target_language;
  std::string example;
  std::string learn;  ///< the page to write in place of translations (empty: none)
  OutputOptions output;
  bool list = false;
};

constexpr const char* kFooter = R"(Examples:
  translate-infer "The cat sat"
      translate a text (each argument is a line) with the newest model under runs/
  translate-infer --checkpoint best --run-dir runs/en-fr --input in.en --output out.fr
      translate a file; each line of input gives a line of output
  cat in.en | translate-infer --json
      translate stdin; each line gives a JSON object with source, translation, score, tokens, truncated
  translate-infer --json-input --json < in.jsonl
      read JSON lines such as {"id": 7, "source": "The cat sat"}; the output has the id, too
  translate-infer --beam-size 8 --n-best 3 "The cat sat"
      show the three best translations of a wider search (docs/decoding.md describes the search)
  translate-infer --sampling --top-p 0.9 --n-best 5 --seed 7 "The cat sat"
      draw five translations at random
  translate-infer --alignments --word-scores "The cat sat"
      show which word comes from which, and how certain the model is of each
  translate-infer --score --input in.en --target out.fr
      score existing translations
  translate-infer --explain "The cat sat"
      show the computation from text to translation, step by step; --layer 1 shows more
  translate-infer --explain --config transformer-base.json "The cat sat"
      the same with a model of random weights, before any training
  translate-infer --explain --example docs/examples/softmax.json
      compute an exercise and check the results that it claims (docs/explain.md)
  translate-infer --attention cat.html "The cat sat"
      write a page that shows the attention, for a browser
  translate-infer --learn model.html "The cat sat"
      write a page in which a small model is computed, to experiment with
  translate-infer --shard 2/8 --input in.en --output part-{shard}.fr
      translate the second of eight shards of a file, for work on several machines (docs/decoding.md)
  translate-infer --target-language fr "The cat sat"
      choose among the languages of a model that has several (docs/languages.md)
  translate-infer --list
      list the runs and their checkpoints
  translate-infer --checkpoint model.pt --tokenizers tokenizer_en.json,tokenizer_fr.json "Hello"
      use a model trained with PyTorch (docs/pytorch.md)

Blank lines stay blank. A line longer than the model was trained on is split at sentence ends,
translated part by part and joined, with a warning. The files of a checkpoint
are compared with the checksums of its manifest: damaged ones are an error, and "latest" skips them.
Exit codes: 0 done, 1 failed (a damaged checkpoint), 2 wrong option, configuration or text.)";

void add_result_options(CLI::App& app, Arguments& arguments) {
  auto& output = arguments.output;
  auto* n_best =
      app.add_option("--n-best", arguments.decoding.n_best,
                     "Show the N best translations of each line (with --sampling: N drawn ones) as \"INDEX ||| "
                     "translation ||| scores\", or with --json as \"nbest\"")
          ->check(CLI::Range(1, kMostHypotheses))
          ->type_name("N");
  app.add_flag("--alignments", output.alignments,
               "Also show the word alignment, after \" ||| \": pairs of source and target words such as 0-0 1-2, "
               "counted from 0");
  app.add_flag("--word-scores", output.word_scores, "Also show the log-probability of each word, after \" ||| \"");
  auto* prefixes =
      app.add_flag("--prefixes", arguments.input.prefixes,
                   "Lines are SOURCE<TAB>BEGINNING, where the translation must begin with the words BEGINNING");
  auto* score =
      app.add_flag(
             "--score", arguments.input.score,
             "Lines are SOURCE<TAB>TRANSLATION: show the log-probability of each translation instead of translating")
          ->excludes(prefixes)
          ->excludes(n_best);
  auto* json_input =
      app.add_flag("--json-input", arguments.input.json,
                   "Lines are JSON objects with the text in \"source\" or \"text\", the beginning of the translation "
                   "in \"prefix\" and, with --score, the translation in \"target\"; with --json the output "
                   "has all other fields, too")
          ->excludes(prefixes);
  app.add_flag(
      "--strict", arguments.input.strict,
      "Stop at the first line that cannot be read (default: give an empty line, or with --json an object with an "
      "\"error\", translate the others, and exit with code 2)");
  app.add_option("--target", arguments.input.target, "With --score and --input: the file with the translations")
      ->needs(score)
      ->needs("--input")
      ->excludes(json_input)
      ->type_name("FILE");
}

/// An empty file name, as of a variable of the shell that is not set, is no name.
CLI::Validator file_name() {
  return {[](const std::string& value) { return value.empty() ? "expected a file, got an empty name" : ""; }, ""};
}

/// Adds the options that show the computations of the model.
void add_looking_options(CLI::App& app, Arguments& arguments, CLI::Option* texts) {
  auto* explain = app.add_flag("--explain", arguments.output.viewing.explain,
                               "Show how each translation is computed: subwords, every stage with its shape, and each "
                               "step of the search, which is greedy unless --beam-size is given")
                      ->excludes("--n-best")
                      ->excludes("--alignments")
                      ->excludes("--word-scores");
  auto* layer = app.add_option("--layer", arguments.output.viewing.layer,
                               "With --explain: the layer to show, counted from 0, with the attention of its heads")
                    ->check(CLI::Range(0, 1 << 20))
                    ->needs(explain)
                    ->type_name("N");
  auto* together = app.add_flag("--together", arguments.output.viewing.together,
                                "With --explain: show all lines at once, as one batch in which shorter ones are padded")
                       ->needs(explain);
  auto* example =
      app.add_option("--example", arguments.example,
                     "With --explain: compute an exercise from a JSON file instead, in attention, layer norm, loss, "
                     "... (docs/explain.md)")
          ->check(file_name())
          ->needs(explain)
          ->excludes(texts, layer, together, "--input", "--checkpoint", "--run-dir", "--config", "--tokenizers",
                     "--target-language", "--score", "--json-input", "--prefixes", "--list")
          ->type_name("FILE");
  app.add_flag("--random-weights", arguments.checkpoint.random_weights,
               "Use a model of random weights in place of a trained one: that of --config, from its training.seed; "
               "without --tokenizers, tokenizers are trained on the example corpus (implied by --explain, "
               "--attention and --learn with --config and without --checkpoint)")
      ->needs("--config")
      ->excludes("--checkpoint")
      ->excludes("--run-dir")
      ->excludes(example);
  app.add_option("--attention", arguments.output.viewing.attention,
                 "Also write a page that shows the attention of each head of each layer")
      ->excludes("--example")
      ->type_name("FILE.html");
  app.add_option("--learn", arguments.learn,
                 "Only write a page in which a browser computes the model, to experiment with; TEXT is its example")
      ->check(file_name())
      ->type_name("FILE.html");
}

/// Refuses the options that --learn would ignore. The page computes greedy search in single precision, for each text as
/// a whole.
void add_exclusions_of_learn(CLI::App& app) {
  app.get_option("--learn")->excludes(
      "--explain", "--attention", "--input", "--output", "--json", "--n-best", "--alignments", "--word-scores",
      "--prefixes", "--score", "--json-input", "--strict", "--list", "--paragraphs", "--shard", "--no-split",
      "--precision", "--beam-size", "--length-penalty", "--length-penalty-kind", "--min-length", "--no-repeat-ngram",
      "--repetition-penalty", "--batch-tokens", "--sampling", "--temperature", "--top-k", "--top-p", "--seed");
}

void add_options(CLI::App& app, Arguments& arguments) {
  auto* texts = app.add_option("TEXT", arguments.input.texts, "Lines to translate (default: --input or stdin)");
  app.add_option("--input", arguments.input.path, "A text file to translate, line by line; plain or gzip")
      ->type_name("FILE")
      ->excludes(texts);
  app.add_option("--output", arguments.output.path, "The file to write the translations to (default: stdout)")
      ->type_name("FILE");
  add_checkpoint_options(app, arguments.checkpoint);
  add_target_language_option(app, arguments.target_language);
  app.add_flag("--json", arguments.output.json, "Print a JSON object for each line instead of text");
  add_result_options(app, arguments);
  app.add_flag("--list", arguments.list,
               "List the runs under runs/ (or the one of --run-dir) and their checkpoints, with step, best validation "
               "score, languages, size and date; with --json one object for each run")
      ->excludes(texts)
      ->excludes("--input");
  add_looking_options(app, arguments, texts);
  app.add_flag("--paragraphs", arguments.input.paragraphs,
               "The text is wrapped: lines up to a blank one are joined, and each paragraph gives one line")
      ->excludes("--json-input")
      ->excludes("--prefixes")
      ->excludes("--score");
  add_shard_option(app, arguments.shard);
  add_splitting_option(app, arguments.decoding);
  add_decoding_options(app, arguments.decoding);
  add_common_options(app, arguments.common, Work::kTranslation);
  add_exclusions_of_learn(app);
  app.footer(kFooter);
}

/// Loads the models and applies the command line to the configuration of the first one.
std::vector<LoadedModel> load(const ModelSource& source, const Arguments& arguments, const ModelBackend& backend) {
  const bool looks_inside = arguments.output.viewing.any();
  if (looks_inside && source.models() > 1) {
    throw ConfigError("--explain and --attention look into one model; --checkpoint names several");
  }
  auto models = source.load_all(backend);
  auto& config = models.front().config;
  if (looks_inside && !arguments.decoding.beam_size && !arguments.decoding.sampling) {
    config.decoding = greedy_options(config.decoding);  // the easiest search to follow
  }
  apply_decoding_options(arguments.decoding, config);
  return models;
}

TranslatorOptions inference_options(const std::vector<LoadedModel>& models, const Arguments& arguments,
                                    const c10::Device& device) {
  auto common = arguments.common;
  common.exact = arguments.output.viewing.any();  // the views show the model as it was trained
  auto options = options_for_models(models, device, common.precision, common.exact);
  options.alignments = arguments.output.alignments;
  options.word_scores = arguments.output.word_scores;
  options.split_sentences =  // scoring and the views need whole lines
      models.front().config.decoding.split_sentences != SentenceSplitting::kOff && !arguments.input.score &&
      !arguments.output.viewing.any();
  const auto& first = models.front();
  choose_target(directions(first.config, first.tokenizers.source), arguments.target_language, kTargetLanguageOption,
                options);
  return options;
}

/// Returns the output options with the values that depend on other options and the configuration.
OutputOptions output_options(const Arguments& arguments, const Config& config, const TranslationInput& input) {
  auto output = arguments.output;
  output.lines_before = input.next_line() - 1;
  output.input = arguments.input.path;
  output.score = arguments.input.score;
  output.n_best = arguments.decoding.n_best || (config.decoding.n_best > 1 && !arguments.input.score);
  return output;
}

/// Computes an exercise, which needs no model.
int run_example(const Arguments& arguments) {
  std::string example;
  operator_function<ComputeExample>("translate_torch_example", "--example")(arguments.example, arguments.output.json,
                                                                            example);
  LineWriter writer(arguments.output.path);
  writer.write(example);
  writer.finish();
  return 0;
}

int run_list(const Arguments& arguments) {
  const auto runs = list_runs(arguments.checkpoint.run_dir, kRunsFolder);
  if (runs.empty()) {
    log_warning(fmt::format("no run in {}; {}", std::filesystem::absolute(kRunsFolder).string(), kTrainFirst));
  }
  LineWriter writer(arguments.output.path);
  for (const auto& line : arguments.output.json ? run_objects(runs) : run_table(runs)) {
    writer.write(line);
  }
  writer.flush();
  return 0;
}

/// The option that asks to look into a model.
const char* viewing_option(const ViewingOptions& viewing) { return viewing.explain ? "--explain" : "--attention"; }

/// Returns the backend; looking into a model needs the one with LibTorch's operators.
std::unique_ptr<const ModelBackend> start(const Arguments& arguments) {
  const auto& viewing = arguments.output.viewing;
  if (viewing.any()) {
    const auto& common = arguments.common;
    return start_operator_backend(common.device, common.threads, viewing_option(viewing));
  }
  return start_computing(arguments.common);
}

/// Replaces --shard and "{shard}" by what they mean in this process.
void resolve_shard(Arguments& arguments) {
  if (!arguments.shard.empty()) {
    arguments.input.shard = read_shard(arguments.shard);
    arguments.output.path = shard_output(arguments.output.path, *arguments.input.shard, arguments.shard);
  }
}

/// A view of a configuration alone shows a model of random weights.
void choose_random_weights(Arguments& arguments) {
  auto& checkpoint = arguments.checkpoint;
  const bool is_viewed = arguments.output.viewing.any() || !arguments.learn.empty();
  if (is_viewed && !checkpoint.config.empty() && !checkpoint.chosen) {
    checkpoint.random_weights = true;
  }
  checkpoint.chosen = checkpoint.chosen || checkpoint.random_weights;
}

/// Warns of an argument that is translated as a text though it is the name of a file.
void warn_of_file_name(const std::vector<std::string>& texts) {
  const auto found = std::ranges::find_if(texts, [](const std::string& text) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(text, ignored);
  });
  if (found != texts.end()) {
    log_warning(fmt::format("\"{0}\" is read as a text, but there is a file of this name; --input {0} reads its lines",
                            *found));
  }
}

int run(Arguments arguments) {
  start_logging(arguments.common);
  warn_of_file_name(arguments.input.texts);
  choose_random_weights(arguments);
  resolve_shard(arguments);
  if (arguments.list) {
    return run_list(arguments);
  }
  if (!arguments.example.empty()) {
    return run_example(arguments);
  }
  if (!arguments.learn.empty()) {
    write_learn_page({.page = arguments.learn,
                      .common = arguments.common,
                      .checkpoint = arguments.checkpoint,
                      .decoding = arguments.decoding,
                      .target_language = arguments.target_language,
                      .sentences = arguments.input.texts});
    return 0;
  }
  arguments.input.viewing = arguments.output.viewing.any();
  TranslationInput input(arguments.input);
  const auto backend = start(arguments);  // sets the number of threads for sums
  const ModelSource source(arguments.checkpoint, Verify::kInference);
  const auto models = load(source, arguments, *backend);
  const auto how = inference_options(models, arguments, backend->device());
  auto translator = make_translator(*backend, models, how);
  const auto options = output_options(arguments, models.front().config, input);
  std::unique_ptr<TranslationViewer> viewer;
  if (options.viewing.any()) {
    auto* const make = operator_function<MakeViewer>("translate_torch_viewer", viewing_option(options.viewing));
    viewer.reset(make(options, models.front(), backend->device(), how.precision, source.title()));
  }
  TranslationOutput output(options, std::move(viewer));
  name_default_model(arguments.checkpoint, source);
  const auto errors = translate_input(input, arguments.input.score, translator, output);
  if (errors > 0) {
    log_error(fmt::format("{} could not be read ({}); the others are translated", counted(errors, "line"),
                          options.json ? "the output has an \"error\" in place of each" : "see above"));
    return static_cast<int>(ExitCode::kUserMistake);
  }
  return 0;
}

struct CommandLine {
  CommandLine() { add_options(app, arguments); }

  CLI::App app{"Translates text with a trained model.", "translate-infer"};
  Arguments arguments;
};

}  // namespace

std::shared_ptr<const CLI::App> infer_command_line() {
  const auto line = std::make_shared<const CommandLine>();
  return {line, &line->app};
}

int run_infer(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  CommandLine line;
  return run_program(line.app, argc, argv, [&] { return run(line.arguments); });
}

}  // namespace translate
