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
#include "core/logging.h"
#include "decoding/model_source.h"
#include "decoding/target_choice.h"
#include "infer/document_translation.h"
#include "infer/input_arguments.h"
#include "infer/mbr_arguments.h"
#include "infer/model_list.h"
#include "infer/shard.h"
#include "infer/translation_input.h"
#include "infer/translation_loop.h"
#include "infer/translation_output.h"
#include "languages/directions.h"
#include "model/aligning_attention.h"
#include "segments/document_formats.h"

namespace translate {

namespace {

struct Arguments {
  CommonOptions common;
  CheckpointOptions checkpoint;
  DecodingArguments decoding;
  MbrArguments mbr;
  InputOptions input;
  DocumentOptions document;
  std::string shard;  ///< "K/N" or "auto" (empty: the whole input)
  std::string target_language;
  OutputOptions output;
  bool list = false;
};

constexpr const char* kFooter = R"(Examples:
  translate-infer "The cat sat"
      translate a text (each argument is a line) with the newest model under runs/
  translate-infer --checkpoint best --run-dir runs/en-fr --input in.en --output out.fr
      translate a file; each line of input gives a line of output
  translate-infer --input page.html --output page.fr.html
      translate the texts of a file and leave the rest as it is: HTML, Markdown, subtitles, JSON, PO (docs/documents.md)
  cat in.en | translate-infer --json
      translate stdin; each line gives a JSON object with source, translation, score, tokens, truncated
  translate-infer --json-input --json < in.jsonl
      read JSON lines such as {"id": 7, "source": "The cat sat"}; the output has the id, too
  translate-infer --beam-size 8 --n-best 3 "The cat sat"
      show the three best translations of a wider search (docs/decoding.md describes the search)
  translate-infer --sampling --top-p 0.9 --n-best 5 --seed 7 "The cat sat"
      draw five translations at random
  translate-infer --mbr 32 --input in.en --output out.fr
      draw 32 translations of each sentence and print the one that agrees best with the others
  translate-infer --alignments --word-scores "The cat sat"
      show which word comes from which, and how certain the model is of each
  translate-infer --glossary terms.tsv --input in.en --output out.fr
      have translations use the terms of a glossary (docs/glossary.md)
  translate-infer --score --input in.en --target out.fr
      score existing translations
  translate-infer --shard 2/8 --input in.en --output part-{shard}.fr
      translate the second of eight shards of a file, for work on several machines (docs/decoding.md)
  translate-infer --target-language fr "The cat sat"
      choose among the languages of a model that has several (docs/languages.md)
  translate-infer --list
      list the runs and their checkpoints
  translate-infer --checkpoint model.pt --tokenizers tokenizer_en.json,tokenizer_fr.json "Hello"
      use a model trained with PyTorch (docs/pytorch.md)

Blank lines stay blank. Lines are split into sentences, which are translated one by one and joined
(--no-split: they are not). A sentence longer than the model was trained on is split further, with a
warning. The files of a checkpoint are compared with the checksums of its manifest: damaged ones are
an error, and "latest" skips them.
Exit codes: 0 done, 1 failed (a damaged checkpoint), 2 wrong option, configuration or text.)";

void add_result_options(CLI::App& app, Arguments& arguments) {
  auto& output = arguments.output;
  app.add_flag("--json", output.json, "Print a JSON object for each line instead of text");
  app.add_option("--n-best", arguments.decoding.n_best,
                 "Show the N best translations of each line (with --sampling: N drawn ones) as \"INDEX ||| "
                 "translation ||| scores\", or with --json as \"nbest\"")
      ->check(CLI::Range(1, kMostHypotheses))
      ->excludes("--score")
      ->type_name("N");
  app.add_flag("--alignments", output.alignments,
               "Also show the word alignment, after \" ||| \": pairs of source and target words such as 0-0 1-2, "
               "counted from 0");
  app.add_flag("--word-scores", output.word_scores, "Also show the log-probability of each word, after \" ||| \"");
}

void add_options(CLI::App& app, Arguments& arguments) {
  add_input_options(app, arguments.input, "translate");
  add_document_options(app, arguments.document);
  app.add_option("--output", arguments.output.path, "The file to write the translations to (default: stdout)")
      ->type_name("FILE");
  add_checkpoint_options(app, arguments.checkpoint);
  add_target_language_option(app, arguments.target_language);
  add_result_options(app, arguments);
  app.add_flag("--list", arguments.list,
               "List the runs under runs/ (or the one of --run-dir) and their checkpoints, with step, best validation "
               "score, languages, size and date; with --json one object for each run")
      ->excludes("TEXT")
      ->excludes("--input");
  add_shard_option(app, arguments.shard);
  add_splitting_option(app, arguments.decoding);
  add_raw_option(app, arguments.decoding, "--raw with --n-best, --sampling and --score, else --no-raw");
  app.get_option("--no-raw")->excludes("--score");
  add_keep_option(app, arguments.decoding);
  add_glossary_option(app, arguments.decoding);
  app.get_option("--glossary")->excludes("--score");
  add_decoding_options(app, arguments.decoding);
  add_mbr_options(app, arguments.mbr);
  add_common_options(app, arguments.common, Work::kTranslation);
  app.footer(kFooter);
}

TranslatorOptions inference_options(const std::vector<LoadedModel>& models, const Arguments& arguments) {
  auto options = options_for_models(models);
  options.alignments = arguments.output.alignments;
  options.word_scores = arguments.output.word_scores;
  if (arguments.output.json) {
    options.source_words = source_words_of(models);
  }
  options.split_sentences =  // scoring needs whole lines
      models.front().config.decoding.split_sentences != SentenceSplitting::kOff && !arguments.input.score;
  const auto& decoding = models.front().config.decoding;
  options.raw = arguments.decoding.raw.value_or(arguments.input.score || decoding.sampling || decoding.n_best > 1);
  options.keep = kept_terms(arguments.decoding);
  options.shortlist = read_shortlist(arguments.decoding.shortlist, models.front().tokenizers);
  const auto& first = models.front();
  choose_target(directions(first.config, first.tokenizers.source), arguments.target_language, kTargetLanguageOption,
                options);
  options.glossary =
      glossary_of(arguments.decoding, {.source = options.source_language, .target = options.target_language});
  return options;
}

/// Returns the output options with the values that depend on other options and the configuration.
OutputOptions output_options(const Arguments& arguments, const Config& config, const TranslationInput& input) {
  auto output = arguments.output;
  output.lines_before = input.next_line() - 1;
  output.input = arguments.input.path;
  output.score = arguments.input.score;
  output.n_best = !arguments.mbr.candidates &&
                  (arguments.decoding.n_best || (config.decoding.n_best > 1 && !arguments.input.score));
  return output;
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

/// Replaces --shard and "{shard}" by what they mean in this process.
void resolve_shard(Arguments& arguments) {
  if (!arguments.shard.empty()) {
    arguments.input.shard = read_shard(arguments.shard);
    arguments.output.path = shard_output(arguments.output.path, *arguments.input.shard, arguments.shard);
  }
}

/// Returns the format of a document to translate; null if the input is translated line by line.
const DocumentFormat* document_format(const Arguments& arguments) {
  const auto& input = arguments.input;
  const auto& output = arguments.output;
  const bool wants_lines = !input.texts.empty() || input.json || input.prefixes || input.score || input.shard ||
                           input.paragraphs || arguments.decoding.n_best || arguments.mbr.candidates || output.json ||
                           output.alignments || output.word_scores;
  return choose_document_format(arguments.document, input.path, wants_lines);
}

/// Translates a file that has a format of its own.
int run_document(const Arguments& arguments, const DocumentFormat& format) {
  auto file = read_document_file(format, arguments.input.path);
  start_computing(arguments.common);
  const ModelSource source(arguments.checkpoint, Verify::kInference);
  auto models = source.load_all();
  apply_decoding_options(arguments.decoding, models.front().config);
  auto options = inference_options(models, arguments);
  const auto document = read_document(
      format, {.bytes = std::move(file.bytes),
               .name = file.name,
               .source_language = options.source_language,
               .target_language = options.target_language,
               .columns = arguments.document.columns,
               .editable = arguments.document.editable ? EditableRegions::kTranslated : EditableRegions::kStay});
  auto translator = make_translator(models, arguments.common.computing, options);
  name_default_model(arguments.checkpoint, source);
  LineWriter writer(arguments.output.path);
  writer.write_bytes(file.byte_order_mark);
  writer.write_bytes(document->write(translate_texts(*document, translator)));
  writer.finish();
  return static_cast<int>(ExitCode::kDone);
}

/// Says which attention of each model the alignments come from.
void name_aligning_attention(const std::vector<LoadedModel>& models) {
  for (const auto& model : models) {
    log_info(fmt::format("alignments: {}{}", describe(aligning_attention(model.config.model)),
                         models.size() > 1 ? " (" + model.origin + ")" : ""));
  }
}

int run(Arguments arguments) {
  start_logging(arguments.common);
  warn_of_file_name(arguments.input);
  resolve_shard(arguments);
  if (arguments.list) {
    return run_list(arguments);
  }
  if (const auto* format = document_format(arguments)) {
    return run_document(arguments, *format);
  }
  TranslationInput input(arguments.input);
  start_computing(arguments.common);  // sets the number of threads for sums
  const ModelSource source(arguments.checkpoint, Verify::kInference);
  auto models = source.load_all();
  apply_mbr_options(arguments.mbr, models.front().config, arguments.decoding);
  apply_decoding_options(arguments.decoding, models.front().config);
  if (arguments.output.alignments) {
    name_aligning_attention(models);
  }
  auto translator =
      make_mbr_translator(arguments.mbr, models, arguments.common.computing, inference_options(models, arguments));
  const auto options = output_options(arguments, models.front().config, input);
  TranslationOutput output(options, /*viewer=*/nullptr);
  name_default_model(arguments.checkpoint, source);
  const auto errors = translate_input(input, arguments.input.score, translator, output);
  return report_unread_lines(errors, options.json, "translated");
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
