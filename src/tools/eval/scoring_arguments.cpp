#include "eval/scoring_arguments.h"

#include <iterator>

#include "config/bleu_tokenizations.h"
#include "config/enum_names.h"
#include "config/json_value.h"

namespace translate::tools {

namespace {

constexpr const char* kGroup = "Scores";

/// The fields that stand beside the metrics in the output by --json and --sentence-scores.
constexpr const char* kFieldNames[] = {"checkpoint", "step",       "raw",        "times_scored", "sentences",
                                       "bootstrap",  "directions", "seconds",    "against",      "robustness",
                                       "line",       "source",     "hypothesis", "references",   "name"};

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

void add_command_options(CLI::App& app, ScoringArguments& arguments) {
  auto* command =
      app.add_option("--metric-command", arguments.metric_command,
                     "Also score by a program: it reads a JSON object with source, hypothesis and reference on each "
                     "line, and prints a number for each; put it and its arguments into quotes")
          ->type_name("COMMAND")
          ->group(kGroup);
  app.add_option("--metric-name", arguments.metric_name,
                 "The name of the scores by --metric-command (default: the name of the program)")
      ->needs(command)
      ->type_name("NAME")
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
  add_command_options(app, arguments);
  add_paired_options(app, arguments);
}

MetricOptions metric_options(const ScoringArguments& arguments) {
  return {.names = arguments.metrics,
          .tokenization = from_string<BleuTokenization>(arguments.tokenize).value(),
          .lowercase = arguments.lowercase};
}

std::optional<MetricCommand> metric_command(const ScoringArguments& arguments) {
  if (!arguments.metric_command) {
    return std::nullopt;
  }
  auto taken = metric_names();
  taken.insert(taken.end(), std::begin(kFieldNames), std::end(kFieldNames));
  return make_metric_command(*arguments.metric_command, arguments.metric_name, taken);
}

PairedOptions paired_options(const ScoringArguments& arguments, std::optional<std::uint64_t> seed) {
  PairedOptions options;
  options.test = arguments.paired == "bootstrap" ? PairedTest::kBootstrap : PairedTest::kRandomisation;
  options.resamples = arguments.resamples.value_or(default_resamples(options.test));
  options.seed = seed.value_or(options.seed);
  return options;
}

}  // namespace translate::tools
