#include "interop/program/export_program.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "checkpoint/card_license.h"
#include "command_line/decoding_arguments.h"
#include "command_line/language_option.h"
#include "command_line/program.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/threads.h"
#include "decoding/model_source.h"
#include "interop/export/export.h"
#include "languages/directions.h"
#include "languages/language_names.h"
#include "metrics/metric_choice.h"

namespace translate::tools {

namespace {

struct Arguments {
  CommonOptions common;
  CheckpointOptions checkpoint;
  std::string format;
  std::string precision = "fp32";
  std::string output;
  bool force = false;
  std::string source_language;
  std::string target_language;
  std::string license;
};

constexpr const char* kFooter = R"(Examples:
  translate-export --format ctranslate2 best en-fr-ct2
      write the best checkpoint of the newest run as a folder for CTranslate2
  translate-export --format ctranslate2 --precision int8 runs/en-fr/average:5 en-fr-ct2
      write the mean of the last five checkpoints of a run, with matrices of 8 bits
  translate-export --format huggingface best en-fr-hf
      write a folder for Hugging Face's transformers: AutoTokenizer and AutoModelForSeq2SeqLM
  translate-export --format argos best en-fr.argosmodel
      write a package for Argos Translate and LibreTranslate
  translate-export --format marian best en-fr-marian
      write a folder for marian-decoder: model.npz, decoder.yml and the vocabularies

A folder has everything that is needed to translate there, and a README.md that shows how. What
each format can hold, and what is different there: docs/interop.md.
Exit codes: 0 done, 1 failed (a damaged checkpoint), 2 wrong option, or a model that the format cannot hold.)";

template <class Names>
std::vector<std::string> names_of(const Names& table) {
  std::vector<std::string> names;
  for (const auto& entry : table) {
    names.emplace_back(entry.name);
  }
  return names;
}

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--format", arguments.format, "The format to write")
      ->required()
      ->check(CLI::IsMember(names_of(kExportFormatNames)));
  add_checkpoint_argument(app, arguments.checkpoint);
  app.add_option("OUTPUT", arguments.output, "The folder to write; for argos a file, NAME.argosmodel")->required();
  app.add_option("--precision", arguments.precision,
                 "The precision of the stored matrices: fp32, or int8 (a quarter of the size)")
      ->check(CLI::IsMember(names_of(kStoredPrecisionNames)))
      ->capture_default_str();
  app.add_flag("--force", arguments.force, "Replace OUTPUT if it is an earlier export");
  add_language_option(app, "--source-language", arguments.source_language,
                      "The code of the source language, such as en (default: the configuration's)");
  add_language_option(app, "--target-language", arguments.target_language, "The same for the target language");
  app.add_option("--license", arguments.license,
                 "The licence of the model, such as CC-BY-4.0, for the card (default: that of the model's own card)");
  add_common_options(app, arguments.common, Work::kConversion);
  app.footer(kFooter);
}

/// Returns the directions of the model of which both languages are known, between the languages of the command line.
std::vector<Direction> directions_of(const Arguments& arguments, const Config& config, const Tokenizer& tokenizer) {
  const auto all = directions(config, tokenizer);
  auto found = directions_between(all, named_sides(config.data),
                                  {.source = arguments.source_language, .target = arguments.target_language});
  if (found.empty()) {
    throw ConfigError(fmt::format("--source-language, --target-language: the model translates {}",
                                  describe_directions(known_directions(all))));
  }
  return known_directions(std::move(found));
}

ModelToExport load(const ModelSource& source, const Arguments& arguments) {
  if (source.models() > 1) {
    throw ConfigError(
        fmt::format("{}: several models cannot be exported as one; export one of them, or the mean of "
                    "checkpoints (average:N)",
                    arguments.checkpoint.checkpoint));
  }
  auto loaded = std::move(source.load_all().front());
  ModelToExport model{
      .config = std::move(loaded.config),
      .tokenizers = std::move(loaded.tokenizers),
      .weights = std::move(loaded.weights),
      .origin = std::move(loaded.origin),
      .facts = {.title = source.title(),
                .directions = {},
                .step = source.step(),
                .score = {},
                .is_average = source.is_average(),
                .license = arguments.license.empty() ? license_of_card(source.path()) : arguments.license}};
  auto& facts = model.facts;
  facts.directions = directions_of(arguments, model.config, model.tokenizers.source);
  if (facts.step == 0) {
    facts.step.reset();  // an imported model: the number of updates is unknown
  }
  const auto checkpoint = source.checkpoint();
  if (checkpoint && !facts.is_average && checkpoint->manifest().score) {
    const auto metric = checkpoint->manifest().metric;
    facts.score = {.metric = metric,
                   .value = *checkpoint->manifest().score,
                   .signature = validation_signature(metric, model.config.training.bleu_tokenization)};
  }
  return model;
}

int run(const Arguments& arguments) {
  start_logging(arguments.common);
  const ExportRequest request{.format = from_string<ExportFormat>(arguments.format).value(),
                              .precision = from_string<StoredPrecision>(arguments.precision).value(),
                              .output = arguments.output,
                              .replace = arguments.force};
  check_export(request);
  (void)set_kernel_threads(arguments.common.threads);
  const ModelSource source(arguments.checkpoint, Verify::kServing);
  const auto model = load(source, arguments);
  export_model(model, request);
  log_info(fmt::format("{}: written to {}", source.name(), arguments.output));
  return 0;
}

struct CommandLine {
  CommandLine() { add_options(app, arguments); }

  CLI::App app{"Writes a trained model in the format of another system.", "translate-export"};
  Arguments arguments;
};

}  // namespace

std::shared_ptr<const CLI::App> export_command_line() {
  const auto line = std::make_shared<const CommandLine>();
  return {line, &line->app};
}

int run_export(int argc, char** argv) {
  CommandLine line;
  return run_program(line.app, argc, argv, [&] { return run(line.arguments); });
}

}  // namespace translate::tools
