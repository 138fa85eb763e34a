// translate-infer: translates text with a trained model.

#include <unistd.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "translate/apps/checkpoint_options.h"
#include "translate/apps/line_stream.h"
#include "translate/apps/program.h"
#include "translate/apps/truncation.h"

namespace {

constexpr std::size_t kLinesAtOnce = 4096;  // of a file: enough to sort by length, few enough to see results come

struct Arguments {
  translate::CommonOptions common;
  translate::CheckpointOptions checkpoint;
  std::vector<std::string> texts;
  std::string input;
  std::string output;
  std::optional<std::int64_t> max_length;
  std::optional<std::int64_t> batch_tokens;
  bool json = false;
};

constexpr const char* kFooter = R"(Examples:
  translate-infer "The cat sat"
      one sentence (or several: each argument is one), with the newest model under runs/
  translate-infer --checkpoint best --run-dir runs/en-fr --input in.en --output out.fr
      a file, a line out for each line in
  cat in.en | translate-infer --json
      from stdin; one JSON object a line: source, translation, score, tokens, truncated

Blank lines stay blank. A line longer than the model was trained on is split at sentence ends,
translated part by part and joined, with a warning.)";

void add_options(CLI::App& app, Arguments& arguments) {
  auto* texts = app.add_option("TEXT", arguments.texts, "Sentences to translate (without any: --input or stdin)");
  app.add_option("--input", arguments.input, "A text file to translate, one sentence a line")
      ->type_name("FILE")
      ->excludes(texts);
  app.add_option("--output", arguments.output, "Where to write the translations (default: stdout)")->type_name("FILE");
  add_checkpoint_options(app, arguments.checkpoint);
  app.add_option("--max-length", arguments.max_length, "Pieces of a translation at most (default: the configuration's)")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("N");
  app.add_option("--batch-tokens", arguments.batch_tokens, "Source pieces translated at once (default: likewise)")
      ->check(CLI::Range(1, 1 << 24))
      ->type_name("N");
  app.add_flag("--json", arguments.json, "One JSON object a line in place of plain text");
  add_common_options(app, arguments.common);
  app.footer(kFooter);
}

std::string to_line(const translate::Translation& translation, bool json) {
  if (!json) {
    return translation.text;
  }
  const nlohmann::ordered_json object = {{"source", translation.source},
                                         {"translation", translation.text},
                                         {"score", translation.score},
                                         {"tokens", translation.tokens},
                                         {"truncated", translation.truncated}};
  return object.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

translate::Translator load_translator(const Arguments& arguments, const c10::Device& device) {
  auto loaded = translate::load_model(open_checkpoint(arguments.checkpoint, translate::Verify::kInference), device);
  auto& decoding = loaded.config.decoding;
  decoding.max_length = arguments.max_length.value_or(decoding.max_length);
  decoding.batch_tokens = arguments.batch_tokens.value_or(decoding.batch_tokens);
  return translate::make_translator(loaded, device, arguments.common);
}

int run(const Arguments& arguments) {
  translate::start_logging(arguments.common);
  std::optional<translate::LineReader> reader;
  if (arguments.texts.empty()) {
    reader.emplace(arguments.input);
  }
  auto translator = load_translator(arguments, translate::start_computing(arguments.common));
  translate::LineWriter writer(arguments.output);
  const bool interactive = reader && arguments.input.empty() && isatty(STDIN_FILENO) != 0;
  std::int64_t next_line = 1;
  std::int64_t truncated = 0;
  auto lines = reader ? reader->read(interactive ? 1 : kLinesAtOnce) : arguments.texts;
  while (!lines.empty()) {
    for (const auto& translation : translator.translate(lines, next_line)) {
      writer.write(to_line(translation, arguments.json));
      truncated += translation.truncated ? 1 : 0;
    }
    writer.flush();
    next_line += std::ssize(lines);
    lines = reader ? reader->read(interactive ? 1 : kLinesAtOnce) : std::vector<std::string>();
  }
  translate::warn_of_truncation(truncated);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  CLI::App app("Translates text with a trained model.", "translate-infer");
  Arguments arguments;
  add_options(app, arguments);
  return translate::run_program(app, argc, argv, [&] { return run(arguments); });
}
