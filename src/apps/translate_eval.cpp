// translate-eval: measures a model, or existing translations, against references.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "translate/apps/decoding_arguments.h"
#include "translate/apps/evaluation.h"
#include "translate/apps/line_stream.h"
#include "translate/apps/model_source.h"
#include "translate/apps/program.h"
#include "translate/apps/truncation.h"
#include "translate/core/error.h"
#include "translate/data/corpus.h"
#include "translate/data/training_data.h"
#include "translate/decoding/libtorch_backend.h"

namespace {

struct Arguments {
  translate::CommonOptions common;
  translate::CheckpointOptions checkpoint;
  translate::DecodingArguments decoding;
  std::string split = "test";
  std::string source;
  std::string reference;
  std::string hypotheses;
  std::string output;
  std::vector<std::string> metrics = translate::metric_names();
  bool json = false;
};

constexpr const char* kFooter = R"(Examples:
  translate-eval --checkpoint latest
      translates the test set of the run's configuration and scores it
  translate-eval --checkpoint best --split validation --metrics bleu,chrf --json
  translate-eval --checkpoint best --source news.en --reference news.fr --output news.out.fr
      another test set, keeping the translations
  translate-eval --hypotheses theirs.fr --reference news.fr
      scores existing translations; no model is needed

BLEU and chrF are sacreBLEU's (13a tokens, cased), with its signatures; CER and WER are edits
over the reference's characters and words.)";

void add_options(CLI::App& app, Arguments& arguments) {
  add_checkpoint_options(app, arguments.checkpoint);
  app.add_option("--split", arguments.split, "Which part of the run's data to translate")
      ->check(CLI::IsMember({"test", "validation"}))
      ->capture_default_str();
  auto* source =
      app.add_option("--source", arguments.source, "Text to translate in place of a split")->type_name("FILE");
  auto* reference =
      app.add_option("--reference", arguments.reference, "Its right translations, line by line")->type_name("FILE");
  source->needs(reference);
  app.add_option("--hypotheses", arguments.hypotheses, "Score these translations; nothing is translated")
      ->type_name("FILE")
      ->excludes(source);
  app.add_option("--output", arguments.output, "Keep the translations in this file")->type_name("FILE");
  app.add_option("--metrics", arguments.metrics, "Which figures, separated by commas (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(translate::metric_names()))
      ->type_name("LIST");
  app.add_flag("--json", arguments.json, "One JSON object in place of plain text");
  add_decoding_options(app, arguments.decoding);
  add_common_options(app, arguments.common, translate::Work::kEvaluation);
  app.footer(kFooter);
}

void check_arguments(const Arguments& arguments) {
  if (!arguments.reference.empty() && arguments.source.empty() && arguments.hypotheses.empty()) {
    throw translate::ConfigError(
        "--reference needs --source (text to translate) or --hypotheses (translations to score)");
  }
}

/// The pairs to evaluate on; with --hypotheses only their targets count.
translate::ParallelCorpus read_pairs(const Arguments& arguments, const std::optional<translate::Config>& config) {
  if (!arguments.reference.empty()) {
    if (!arguments.source.empty()) {
      const translate::CorpusFiles files{.source = arguments.source, .target = arguments.reference};
      return translate::read_parallel_corpus({&files, 1});
    }
    translate::ParallelCorpus references;
    references.target = translate::read_lines(arguments.reference);
    return references;
  }
  return arguments.split == "test" ? translate::read_test_text(*config) : translate::read_validation_text(*config);
}

std::vector<std::string> translate_all(const Arguments& arguments, const translate::ModelSource& model,
                                       const std::vector<std::string>& source) {
  const translate::LibTorchBackend backend;
  const auto device = translate::start_computing(arguments.common, backend);
  auto models = model.load_all(backend);
  translate::apply_decoding_options(arguments.decoding, models.front().config);
  auto translator =
      translate::make_translator(backend, models, translate::translator_options(models, device, arguments.common));
  std::vector<std::string> texts;
  std::int64_t truncated = 0;
  for (auto& translation : translator.translate(source)) {
    truncated += translation.truncated ? 1 : 0;
    texts.push_back(std::move(translation.text));
  }
  translate::warn_of_truncation(truncated);
  return texts;
}

void write_lines(const std::string& path, const std::vector<std::string>& lines) {
  translate::LineWriter writer(path);
  for (const auto& line : lines) {
    writer.write(line);
  }
  writer.flush();
}

int run(const Arguments& arguments) {
  translate::start_logging(arguments.common);
  check_arguments(arguments);
  translate::Evaluation evaluation;
  std::optional<translate::ModelSource> model;
  std::optional<translate::Config> config;
  if (arguments.hypotheses.empty() || arguments.reference.empty()) {
    model.emplace(arguments.checkpoint, translate::Verify::kFull);
    config = model->config();
  }
  const auto pairs = read_pairs(arguments, config);
  std::vector<std::string> hypotheses;
  if (arguments.hypotheses.empty()) {
    const auto start = std::chrono::steady_clock::now();
    hypotheses = translate_all(arguments, *model, pairs.source);
    evaluation.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    evaluation.checkpoint = model->name();
    evaluation.step = model->step();
  } else {
    hypotheses = translate::read_lines(arguments.hypotheses);
  }
  evaluation.sentences = std::ssize(pairs.target);
  evaluation.metrics = translate::score(arguments.metrics, hypotheses, pairs.target);
  if (!arguments.output.empty()) {
    write_lines(arguments.output, hypotheses);
  }
  translate::print_result(arguments.json ? translate::to_json(evaluation) : translate::to_text(evaluation));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures a model, or existing translations, against references.", "translate-eval");
  Arguments arguments;
  add_options(app, arguments);
  return translate::run_program(app, argc, argv, [&] { return run(arguments); });
}
