#include "interop/program/import_program.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "checkpoint/card_license.h"
#include "checkpoint/foreign_formats.h"
#include "checkpoint/manifest.h"
#include "checkpoint/model_writing.h"
#include "checkpoint/weights_check.h"
#include "command_line/language_option.h"
#include "command_line/program.h"
#include "core/error.h"
#include "core/logging.h"
#include "core/threads.h"
#include "core/unfinished_folder.h"
#include "model/memory_need.h"
#include "model/parameters.h"

namespace translate::tools {

namespace {

namespace fs = std::filesystem;

struct Arguments {
  CommonOptions common;
  std::string source;
  std::string output;
  bool force = false;
  std::string source_language;
  std::string target_language;
  std::string license;
};

constexpr const char* kFooter = R"(Examples:
  translate-import opus-mt-en-fr en-fr
      make a checkpoint of a MarianMT model, in a folder as Hugging Face has it
  translate-import opus-2020-02-26.zip en-fr
      make a checkpoint of a model as OPUS-MT and Marian have it
  translate-import enfr firefox-en-fr --license MPL-2.0
      make a checkpoint of a model of Firefox, and note its licence in the card
  translate-infer --checkpoint en-fr "The cat sat"
      translate with it
  translate-train my.en my.fr --init en-fr --minutes 30
      train it further on other text

The other programs also take such a model as --checkpoint or --init as it is. Which models are
supported, and what is different here: docs/interop.md.
Exit codes: 0 done, 1 failed (a damaged model, or one that is not supported), 2 wrong option.)";

void add_options(CLI::App& app, Arguments& arguments) {
  app.add_option("SOURCE", arguments.source,
                 "A MarianMT folder (config.json, source.spm, target.spm, vocab.json and the weights), or a Marian "
                 "folder or .zip file (decoder.yml and the files that it names), or a folder of Firefox "
                 "(model.*.bin, vocab.*.spm)")
      ->required();
  app.add_option("OUTPUT", arguments.output, "The folder of the checkpoint to write")->required();
  app.add_flag("--force", arguments.force, "Replace OUTPUT if it is a checkpoint");
  add_language_option(app, "--source-language", arguments.source_language,
                      "The code of the source language, such as en (default: the model's, if it tells)");
  add_language_option(app, "--target-language", arguments.target_language, "The same for the target language");
  app.add_option("--license", arguments.license,
                 "The licence of the model, such as MPL-2.0, for the card (default: that of the model's own card)");
  add_common_options(app, arguments.common, Work::kConversion);
  app.footer(kFooter);
}

/// A link to a checkpoint is not one.
bool is_checkpoint(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(fs::symlink_status(path, ignored)) && fs::is_regular_file(path / kManifestFile, ignored);
}

/// Opens the model.
LoadedModel open_source(const fs::path& source) {
  std::error_code ignored;
  if (!fs::exists(source, ignored)) {
    throw ConfigError(fmt::format("{}: there is no such folder or file", source.string()));
  }
  const auto* format = find_model_format(source);
  if (format == nullptr) {
    throw ConfigError(
        fmt::format("{}: not a model of another system: expected a folder with config.json (MarianMT), a folder with "
                    "decoder.yml (Marian), or a .zip file with one, or a folder with model.*.bin and vocab.*.spm "
                    "(Firefox)",
                    source.string()));
  }
  return format->open(source);
}

/// The configuration of the checkpoint, which has its tokenizers itself.
void make_independent(LoadedModel& model, const Arguments& arguments) {
  auto& tokenizer = model.config.tokenizer;
  TokenizerOptions independent;
  independent.source_sos = tokenizer.source_sos;
  independent.ignorable = tokenizer.ignorable;
  tokenizer = independent;
  tokenizer.shared = model.config.model.tie_embeddings == EmbeddingTying::kAll;
  auto& data = model.config.data;
  data.source_language = arguments.source_language.empty() ? data.source_language : arguments.source_language;
  data.target_language = arguments.target_language.empty() ? data.target_language : arguments.target_language;
}

int run(const Arguments& arguments) {
  start_logging(arguments.common);
  const auto output =
      checked_output(arguments.output, arguments.force, {.name = "a checkpoint", .matches = is_checkpoint});
  (void)set_kernel_threads(arguments.common.threads);
  auto model = open_source(arguments.source);
  model.license = arguments.license.empty() ? license_of_card(arguments.source) : arguments.license;
  make_independent(model, arguments);
  const auto sizes = vocabulary_sizes(model.tokenizers);
  check_weights(model.config.model, sizes, model.weights, model.origin);
  write_model_checkpoint(output, model);
  log_info(fmt::format("{}: a model of {:.0f} parameters, {} source and {} target subwords, written to {}",
                       arguments.source, parameter_total(model.config.model, sizes), sizes.source, sizes.target,
                       output.string()));
  return 0;
}

struct CommandLine {
  CommandLine() { add_options(app, arguments); }

  CLI::App app{"Makes a checkpoint of another system's model.", "translate-import"};
  Arguments arguments;
};

}  // namespace

std::shared_ptr<const CLI::App> import_command_line() {
  const auto line = std::make_shared<const CommandLine>();
  return {line, &line->app};
}

int run_import(int argc, char** argv) {
  CommandLine line;
  return run_program(line.app, argc, argv, [&] { return run(line.arguments); });
}

}  // namespace translate::tools
