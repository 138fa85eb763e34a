#include "eval/eval_arguments.h"

#include "core/error.h"
#include "eval/sentence_scores.h"

namespace translate::tools {

namespace {

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
  translate-eval --checkpoint best --metric-command "python3 exact.py" --metric-name exact
      also score by a program of your own (docs/evaluation.md)
  translate-eval --checkpoint best --robustness
      show what the model loses on capitals, missing final stops and typos

BLEU, chrF, chrF++ and TER are sacreBLEU's, with its signatures; CER and WER are edits over the
reference's characters and words. docs/evaluation.md describes them.)";

}  // namespace

void add_eval_options(CLI::App& app, EvalArguments& arguments) {
  add_checkpoint_options(app, arguments.checkpoint);
  auto* split = app.add_option("--split", arguments.split,
                               "The split of the run's data to translate (default: test, or validation if the run's "
                               "configuration names no "
                               "test set)")
                    ->check(CLI::IsMember({"test", "validation"}));
  auto* source =
      app.add_option("--source", arguments.source,
                     "A text to translate instead of a split of the run's data; with --hypotheses, their source text")
          ->type_name("FILE");
  auto* reference = app.add_option("--reference", arguments.references,
                                   "The reference translations, line by line; one file for each set of references")
                        ->type_name("FILE");
  source->needs(reference);
  split->excludes(reference);
  add_target_language_option(app, arguments.target_language)->needs(source);
  auto* hypotheses =
      app.add_option("--hypotheses", arguments.hypotheses, "Score these translations instead of translating")
          ->type_name("FILE");
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

void check_eval_arguments(const EvalArguments& arguments) {
  if (!arguments.references.empty() && arguments.source.empty() && arguments.hypotheses.empty()) {
    throw ConfigError("--reference needs --source (text to translate) or --hypotheses (translations to score)");
  }
  if (!arguments.scoring.sentence_scores.empty()) {
    check_sentence_scores_path(arguments.scoring.sentence_scores);
  }
}

}  // namespace translate::tools
