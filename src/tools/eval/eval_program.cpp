#include "eval/eval_program.h"

#include <fmt/format.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command_line/decoding_arguments.h"
#include "command_line/line_stream.h"
#include "command_line/program.h"
#include "config/bleu_tokenizations.h"
#include "config/enum_names.h"
#include "config/value_reading.h"
#include "core/counted.h"
#include "core/error.h"
#include "core/file.h"
#include "corpora/corpus_reader.h"
#include "decoding/target_choice.h"
#include "eval/comparison.h"
#include "eval/evaluation.h"
#include "eval/evaluation_report.h"
#include "eval/robustness.h"
#include "infer/translation_output.h"
#include "languages/directions.h"
#include "languages/language_names.h"
#include "languages/language_tags.h"

namespace translate::tools {

namespace {

constexpr const char* kGroup = "Scores";

/// Checks that an option's value is not a tokenization that sacreBLEU alone has.
CLI::Validator is_here() {
  return CLI::Validator([](const std::string& name) { return absent_tokenization(name); }, "");
}

void add_metric_options(CLI::App& app, ScoringArguments& arguments) {
  app.add_option("--metrics", arguments.metrics,
                 "The metrics, separated by commas: bleu, chrf, chrf++, ter, cer, wer (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(metric_names()))
      ->type_name("LIST")
      ->group(kGroup);
  app.add_option("--tokenize", arguments.tokenize,
                 "The tokenization of BLEU: 13a, intl, none (split at spaces), char, or zh (Chinese)")
      ->check(is_here())
      ->check(CLI::IsMember(names_of(BleuTokenization())))
      ->capture_default_str()
      ->type_name("NAME")
      ->group(kGroup);
  app.add_flag("--lowercase", arguments.lowercase, "Ignore case (TER always does)")->group(kGroup);
  app.add_option("--sentence-scores", arguments.sentence_scores,
                 "Write the scores of each sentence, as a table (FILE.tsv) or as JSON lines (FILE.jsonl)")
      ->type_name("FILE")
      ->group(kGroup);
  app.add_option("--html", arguments.html, "Write a page with the scores, charts and a table of the sentences")
      ->type_name("FILE")
      ->group(kGroup);
}

void add_paired_options(CLI::App& app, ScoringArguments& arguments) {
  auto* against =
      app.add_option("--against", arguments.against,
                     "Test whether other systems' translations of the same sentences differ by more than chance")
          ->type_name("FILE")
          ->group(kGroup);
  app.add_option("--paired", arguments.paired,
                 "The significance test: bootstrap (resampling) or randomisation (approximate)")
      ->check(CLI::IsMember({"bootstrap", "randomisation"}))
      ->needs(against)
      ->capture_default_str()
      ->type_name("TEST")
      ->group(kGroup);
  app.add_option("--resamples", arguments.resamples,
                 "The number of resamples (default: 1000, for randomisation 10000), drawn with --seed (default: 12345)")
      ->check(CLI::Range(1, 1000000))
      ->needs(against)
      ->type_name("N")
      ->group(kGroup);
}

}  // namespace

void add_scoring_options(CLI::App& app, ScoringArguments& arguments) {
  add_metric_options(app, arguments);
  add_paired_options(app, arguments);
}

MetricOptions metric_options(const ScoringArguments& arguments) {
  return {.names = arguments.metrics,
          .tokenization = from_string<BleuTokenization>(arguments.tokenize).value(),
          .lowercase = arguments.lowercase};
}

PairedOptions paired_options(const ScoringArguments& arguments, std::optional<std::uint64_t> seed) {
  PairedOptions options;
  options.test = arguments.paired == "bootstrap" ? PairedTest::kBootstrap : PairedTest::kRandomisation;
  options.resamples = arguments.resamples.value_or(default_resamples(options.test));
  options.seed = seed.value_or(options.seed);
  return options;
}

namespace {

struct Arguments {
  CommonOptions common;
  CheckpointOptions checkpoint;
  DecodingArguments decoding;
  std::string split;  ///< empty: test, or validation if there is no test set
  std::string source;
  std::string target_language;
  std::vector<std::string> references;
  std::string hypotheses;
  std::string output;
  ScoringArguments scoring;
  bool json = false;
  bool robustness = false;
  bool split_sentences = false;
};

constexpr const char* kFooter = R"(Examples:
  translate-eval --checkpoint latest
      translate the test set of the run's configuration and score it; if there is none,
      use the validation set
  translate-eval --checkpoint best --split validation --metrics bleu,chrf --json
  translate-eval --checkpoint best --source news.en --reference news.fr --output news.out.fr
      use another test set and keep the translations
  translate-eval --checkpoint best --source news.en --reference news.fr --target-language fr
      the same with a model of several languages; its own test sets know theirs (docs/languages.md)
  translate-eval --hypotheses theirs.fr --reference news.fr
      score existing translations; no model is needed
  translate-eval --hypotheses theirs.fr --reference a.fr b.fr --tokenize intl --lowercase
      use two references for each sentence, another tokenization, and ignore case
  translate-eval --checkpoint best --against theirs.fr --html report.html
      test whether the difference is significant, and write a page with charts and all sentences
  translate-eval --checkpoint best --robustness
      show what the model loses on capitals, missing final stops and typos

BLEU, chrF, chrF++ and TER are sacreBLEU's, with its signatures; CER and WER are edits over the
reference's characters and words. docs/evaluation.md describes them.)";

void add_options(CLI::App& app, Arguments& arguments) {
  add_checkpoint_options(app, arguments.checkpoint);
  auto* split = app.add_option("--split", arguments.split,
                               "The split of the run's data to translate (default: test, or validation if the run's "
                               "configuration names no "
                               "test set)")
                    ->check(CLI::IsMember({"test", "validation"}));
  auto* source =
      app.add_option("--source", arguments.source, "A text to translate instead of a split of the run's data")
          ->type_name("FILE");
  auto* reference =
      app.add_option("--reference", arguments.references,
                     "The reference translations of --source, line by line; one file for each set of references")
          ->type_name("FILE");
  source->needs(reference);
  split->excludes(reference);
  add_target_language_option(app, arguments.target_language)->needs(source);
  auto* hypotheses =
      app.add_option("--hypotheses", arguments.hypotheses, "Score these translations instead of translating")
          ->type_name("FILE")
          ->excludes(source);
  app.add_option("--output", arguments.output, "Write the translations to this file")->type_name("FILE");
  app.add_flag("--json", arguments.json, "Print one JSON object instead of text");
  app.add_flag("--robustness", arguments.robustness,
               "Also translate the text in capitals, in title case, in small letters, without final stops, with typos, "
               "and with noise (URLs, emoji, ...) or a placeholder in each line, and show what BLEU loses and what is "
               "kept")
      ->excludes(hypotheses);
  add_scoring_options(app, arguments.scoring);
  app.add_flag("--split-sentences", arguments.split_sentences,
               "Translate lines sentence by sentence, as translate-infer does (default: each line as it is)");
  add_raw_option(app, arguments.decoding, "--raw");
  add_decoding_options(app, arguments.decoding);
  add_common_options(app, arguments.common, Work::kEvaluation);
  app.footer(kFooter);
}

void check_arguments(const Arguments& arguments) {
  if (!arguments.references.empty() && arguments.source.empty() && arguments.hypotheses.empty()) {
    throw ConfigError("--reference needs --source (text to translate) or --hypotheses (translations to score)");
  }
  if (!arguments.scoring.sentence_scores.empty()) {
    check_sentence_scores_path(arguments.scoring.sentence_scores);
  }
}

/// Reads the pairs to evaluate on; with --hypotheses only their targets are used.
EvaluationText read_pairs(const Arguments& arguments, const std::optional<ModelSource>& model) {
  if (!arguments.references.empty()) {
    EvaluationText text;
    if (!arguments.source.empty()) {
      const CorpusFiles files{.source = arguments.source, .target = arguments.references.front()};
      text.pairs = read_parallel_corpus({&files, 1});
    } else {
      text.pairs.target = read_lines(arguments.references.front());
    }
    return text;
  }
  return read_evaluation_text(*model, arguments.split);
}

/// Returns all lists of references: the targets of `pairs` and the files after the first one on the command line.
std::vector<std::vector<std::string>> read_references(const Arguments& arguments, ParallelCorpus& pairs) {
  std::vector<std::vector<std::string>> references = {std::move(pairs.target)};
  for (std::size_t i = 1; i < arguments.references.size(); ++i) {
    auto lines = read_lines(arguments.references[i]);
    if (lines.size() != references.front().size()) {
      throw DataError(fmt::format("{} has {}, but {} has {}: every file of references needs a line for each sentence",
                                  arguments.references[i], counted(lines.size(), "line"), arguments.references.front(),
                                  references.front().size()));
    }
    references.push_back(std::move(lines));
  }
  return references;
}

std::vector<OtherSystem> read_others(const Arguments& arguments, std::size_t sentences) {
  std::vector<OtherSystem> others;
  for (const auto& path : arguments.scoring.against) {
    others.push_back({.name = path, .hypotheses = read_lines(path)});
    if (others.back().hypotheses.size() != sentences) {
      throw DataError(fmt::format("--against {}: the file has {}, but there are {}", path,
                                  counted(others.back().hypotheses.size(), "line"), counted(sentences, "reference")));
    }
  }
  return others;
}

Translator load_translator(const Arguments& arguments, const ModelSource& model) {
  start_computing(arguments.common);
  auto models = model.load_all();
  apply_decoding_options(arguments.decoding, models.front().config);
  auto options = options_for_models(models);
  options.split_sentences = arguments.split_sentences;
  options.raw = arguments.decoding.raw.value_or(true);
  const auto& first = models.front();
  choose_target(directions(first.config, first.tokenizers.source), arguments.target_language, kTargetLanguageOption,
                options);
  return make_translator(models, arguments.common.computing, options);
}

/// Translates the sources of `text`, or others in their place.
std::vector<std::string> translate_all(Translator& translator, const EvaluationText& text,
                                       std::vector<std::string> source) {
  for (std::size_t i = 0; i < text.target_languages.size(); ++i) {
    source[i] = with_language_tag(text.target_languages[i], std::move(source[i]));
  }
  std::vector<std::string> texts;
  TranslationWarnings warnings;
  for (auto& translation : translator.translate(source)) {
    warnings.add(translation);
    texts.push_back(std::move(translation.text));
  }
  warnings.log();
  return texts;
}

/// Returns the language of each source.
std::vector<std::string> source_languages(const ModelSource& model, const EvaluationText& text) {
  std::vector<std::string> languages(text.pairs.source.size(), language_codes(model.config().data).source);
  for (const auto& group : text.groups) {
    for (const auto sentence : group.sentences) {
      languages[sentence] = group.languages.source;
    }
  }
  return languages;
}

void write_lines(const std::string& path, const std::vector<std::string>& lines) {
  LineWriter writer(path);
  for (const auto& line : lines) {
    writer.write(line);
  }
  writer.finish();
}

/// Scores `text` and reports the scores in all requested forms.
void report(const Arguments& arguments, Evaluation evaluation, ScoredOutput text,
            const std::vector<LanguageGroup>& groups, const std::vector<OtherSystem>& others) {
  text.metrics = make_metrics(metric_options(arguments.scoring));
  text.counts = count_all(text.metrics, text.hypotheses, text.references);
  evaluation.sentences = std::ssize(text.hypotheses);
  evaluation.metrics = score_all(text.metrics, text.counts, text.references.size());
  evaluation.directions = score_directions(text.metrics, text.counts, groups);
  std::optional<Comparison> comparison;
  if (!others.empty()) {
    const auto options = paired_options(arguments.scoring, arguments.decoding.seed);
    comparison = compare_with(text, others, options);
  }
  if (!arguments.scoring.sentence_scores.empty()) {
    write_sentence_scores(arguments.scoring.sentence_scores, text);
  }
  if (!arguments.scoring.html.empty()) {
    const auto page = evaluation_report(evaluation, text, comparison ? &*comparison : nullptr);
    write_file_atomically(arguments.scoring.html, page);
  }
  if (arguments.json) {
    auto json = to_json(evaluation);
    if (comparison) {
      json["against"] = to_json(*comparison);
    }
    print_result(json_line(json) + "\n");
  } else {
    print_report(to_text(evaluation) + (comparison ? to_text(*comparison) : ""));
  }
}

/// Translates the text and notes the time that it takes.
std::vector<std::string> translate_timed(Translator& translator, const EvaluationText& text, Evaluation& evaluation) {
  const auto start = std::chrono::steady_clock::now();
  auto hypotheses = translate_all(translator, text, text.pairs.source);
  evaluation.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return hypotheses;
}

/// Notes which model was evaluated, and how it translated.
void describe_model(const Arguments& arguments, const ModelSource& model, Evaluation& evaluation) {
  evaluation.checkpoint = model.name();
  evaluation.title = model.title();
  evaluation.step = model.step();
  evaluation.raw = arguments.decoding.raw.value_or(true);
}

/// Translates the text with other sources, too; `output` has its references and its translation as it is.
std::vector<RobustnessResult> robustness(const Arguments& arguments, const ModelSource& model, Translator& translator,
                                         const EvaluationText& text, const ScoredOutput& output) {
  const auto translate = [&](const auto& source) { return translate_all(translator, text, source); };
  return measure_robustness({.source = text.pairs.source,
                             .languages = source_languages(model, text),
                             .references = output.references,
                             .hypotheses = output.hypotheses},
                            translate, metric_options(arguments.scoring));
}

int run(const Arguments& arguments) {
  start_logging(arguments.common);
  check_arguments(arguments);
  Evaluation evaluation;
  std::optional<ModelSource> model;
  if (arguments.hypotheses.empty() || arguments.references.empty()) {
    model.emplace(arguments.checkpoint, Verify::kFull);
  }
  std::optional<Translator> translator;
  if (arguments.hypotheses.empty()) {
    translator.emplace(load_translator(arguments, *model));
  }
  if (model) {
    name_default_model(arguments.checkpoint, *model);
  }
  auto given = read_pairs(arguments, model);
  ScoredOutput text;
  text.references = read_references(arguments, given.pairs);
  const auto others = read_others(arguments, text.references.front().size());
  if (translator) {
    text.hypotheses = translate_timed(*translator, given, evaluation);
    describe_model(arguments, *model, evaluation);
    if (arguments.robustness) {
      evaluation.robustness = robustness(arguments, *model, *translator, given, text);
    }
  } else {
    text.hypotheses = read_lines(arguments.hypotheses);
  }
  if (!arguments.output.empty()) {
    write_lines(arguments.output, text.hypotheses);
  }
  text.source = std::move(given.pairs.source);
  report(arguments, std::move(evaluation), std::move(text), given.groups, others);
  return 0;
}

struct CommandLine {
  CommandLine() { add_options(app, arguments); }

  CLI::App app{"Measures a model, or existing translations, against references.", "translate-eval"};
  Arguments arguments;
};

}  // namespace

std::shared_ptr<const CLI::App> eval_command_line() {
  const auto line = std::make_shared<const CommandLine>();
  return {line, &line->app};
}

int run_eval(int argc, char** argv) {
  CommandLine line;
  return run_program(line.app, argc, argv, [&] { return run(line.arguments); });
}

}  // namespace translate::tools
