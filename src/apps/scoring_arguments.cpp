#include "translate/apps/scoring_arguments.h"

namespace translate {
namespace {

constexpr const char* kGroup = "Scores";

void add_metric_options(CLI::App& app, ScoringArguments& arguments) {
  app.add_option("--metrics", arguments.metrics,
                 "The metrics, separated by commas: bleu, chrf, chrf++, ter, cer, wer (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(metric_names()))
      ->type_name("LIST")
      ->group(kGroup);
  app.add_option("--tokenize", arguments.tokenize,
                 "The tokenization of BLEU: 13a, intl, none (split at spaces) or char")
      ->check(CLI::IsMember(std::vector<std::string>(kBleuTokenizations.begin(), kBleuTokenizations.end())))
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
          .tokenization = bleu_tokenization(arguments.tokenize),
          .lowercase = arguments.lowercase};
}

PairedOptions paired_options(const ScoringArguments& arguments, std::optional<std::uint64_t> seed) {
  PairedOptions options;
  options.test = arguments.paired == "bootstrap" ? PairedTest::kBootstrap : PairedTest::kRandomisation;
  options.resamples = arguments.resamples.value_or(default_resamples(options.test));
  options.seed = seed.value_or(options.seed);
  return options;
}

}  // namespace translate
