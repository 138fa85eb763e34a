#include "eval/eval_program.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command_line/decoding_arguments.h"
#include "command_line/line_stream.h"
#include "command_line/program.h"
#include "core/file.h"
#include "corpora/corpus_reader.h"
#include "decoding/target_choice.h"
#include "eval/comparison.h"
#include "eval/eval_arguments.h"
#include "eval/evaluation.h"
#include "eval/evaluation_report.h"
#include "eval/evaluation_text.h"
#include "eval/metric_command.h"
#include "eval/robustness.h"
#include "eval/scoring_arguments.h"
#include "eval/sentence_scores.h"
#include "eval/test_scorings.h"
#include "infer/translation_output.h"
#include "languages/directions.h"
#include "languages/language_names.h"
#include "languages/language_tags.h"

namespace translate::tools {

namespace {

Translator load_translator(const EvalArguments& arguments, const ModelSource& model) {
  start_computing(arguments.common);
  auto models = model.load_all();
  apply_decoding_options(arguments.decoding, models.front().config);
  auto options = options_for_models(models);
  options.split_sentences = arguments.split_sentences;
  options.raw = arguments.decoding.raw.value_or(true);
  const auto& first = models.front();
  options.shortlist = read_shortlist(arguments.decoding.shortlist, first.tokenizers);
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

/// Scores `text` and notes the scores. `text.metrics` are the ones to score by.
void score(const EvalArguments& arguments, const std::vector<LanguageGroup>& groups, ScoredOutput& text,
           Evaluation& evaluation) {
  text.counts =
      count_all(text.metrics, {.source = text.source, .hypotheses = text.hypotheses, .references = text.references});
  evaluation.sentences = std::ssize(text.hypotheses);
  evaluation.metrics = score_all(text.metrics, text.counts, text.references.size());
  evaluation.directions = score_directions(text.metrics, text.counts, groups);
  add_intervals(evaluation, text, paired_options(arguments.scoring, arguments.decoding.seed));
}

/// Reports the scores in all requested forms.
void report(const EvalArguments& arguments, const Evaluation& evaluation, const ScoredOutput& text,
            const std::vector<OtherSystem>& others) {
  std::optional<Comparison> comparison;
  if (!others.empty()) {
    const auto options = paired_options(arguments.scoring, arguments.decoding.seed);
    comparison = compare_with(text, evaluation.metrics, others, options);
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
void describe_model(const EvalArguments& arguments, const ModelSource& model, Evaluation& evaluation) {
  evaluation.checkpoint = model.name();
  evaluation.title = model.title();
  evaluation.step = model.step();
  evaluation.raw = arguments.decoding.raw.value_or(true);
}

/// Counts that the test set was scored with a checkpoint of a run; of an ensemble, with that of the first model.
std::optional<std::int64_t> times_scored(const ModelSource& model, const EvaluationText& given,
                                         const ScoredOutput& text) {
  const auto checkpoint = model.checkpoint();
  if (!checkpoint || !given.test_files) {
    return std::nullopt;
  }
  return count_test_scoring(checkpoint->run_folder(), test_set_of(*given.test_files, text.source, text.references));
}

/// Returns the metrics that the command line asks for.
std::vector<NamedMetric> chosen_metrics(const ScoringArguments& arguments) {
  auto metrics = make_metrics(metric_options(arguments));
  if (const auto command = metric_command(arguments)) {
    metrics.push_back(metric_of_command(*command));
  }
  return metrics;
}

/// Translates the text with other sources, too; `output` has its references and its translation as it is.
std::vector<RobustnessResult> robustness(const EvalArguments& arguments, const ModelSource& model,
                                         Translator& translator, const EvaluationText& text,
                                         const ScoredOutput& output) {
  const auto translate = [&](const auto& source) { return translate_all(translator, text, source); };
  return measure_robustness({.source = text.pairs.source,
                             .languages = source_languages(model, text),
                             .references = output.references,
                             .hypotheses = output.hypotheses},
                            translate, metric_options(arguments.scoring));
}

int run(const EvalArguments& arguments) {
  start_logging(arguments.common);
  check_eval_arguments(arguments);
  Evaluation evaluation;
  ScoredOutput text;
  text.metrics = chosen_metrics(arguments.scoring);
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
  score(arguments, given.groups, text, evaluation);
  if (translator) {
    evaluation.times_scored = times_scored(*model, given, text);
  }
  report(arguments, evaluation, text, others);
  return 0;
}

struct CommandLine {
  CommandLine() { add_eval_options(app, arguments); }

  CLI::App app{"Measures a model, or existing translations, against references.", "translate-eval"};
  EvalArguments arguments;
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
