// translate-infer: translates text with a trained model.

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "translate/apps/line_stream.h"
#include "translate/apps/model_source.h"
#include "translate/apps/program.h"
#include "translate/apps/translation_output.h"
#include "translate/apps/worked_example.h"
#include "translate/core/logging.h"

namespace {

constexpr std::size_t kLinesAtOnce = 4096;  // of a file: enough to sort by length, few enough to see results come

struct Arguments {
  translate::CommonOptions common;
  translate::CheckpointOptions checkpoint;
  std::vector<std::string> texts;
  std::string example;
  translate::OutputOptions output;
  std::optional<std::int64_t> max_length;
  std::optional<std::int64_t> batch_tokens;
};

constexpr const char* kFooter = R"(Examples:
  translate-infer "The cat sat"
      one sentence (or several: each argument is one), with the newest model under runs/
  translate-infer --checkpoint best --run-dir runs/en-fr --input in.en --output out.fr
      a file, a line out for each line in
  cat in.en | translate-infer --json
      from stdin; one JSON object a line: source, translation, score, tokens, truncated
  translate-infer --explain "The cat sat"
      the way from text to translation, step by step; --layer 1 for more, --json for programs
  translate-infer --attention cat.html "The cat sat"
      a page that shows the attention; open it in a browser
  translate-infer --checkpoint model.pt --tokenizers tokenizer_en.json,tokenizer_fr.json "Hello"
      a model trained with PyTorch (docs/pytorch.md)

Blank lines stay blank. A line longer than the model was trained on is split at sentence ends,
translated part by part and joined, with a warning. Exit codes: 0 done, 1 failed, 2 wrong
option, configuration or text.)";

void add_options(CLI::App& app, Arguments& arguments) {
  auto* texts = app.add_option("TEXT", arguments.texts, "Sentences to translate (without any: --input or stdin)");
  app.add_option("--input", arguments.output.input, "A text file to translate, one sentence a line")
      ->type_name("FILE")
      ->excludes(texts);
  app.add_option("--output", arguments.output.path, "Where to write the translations (default: stdout)")
      ->type_name("FILE");
  add_checkpoint_options(app, arguments.checkpoint);
  app.add_option("--max-length", arguments.max_length, "Pieces of a translation at most (default: the configuration's)")
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("N");
  app.add_option("--batch-tokens", arguments.batch_tokens, "Source pieces translated at once (default: likewise)")
      ->check(CLI::Range(1, 1 << 24))
      ->type_name("N");
  app.add_flag("--json", arguments.output.json, "One JSON object a line in place of plain text");
  auto* explain = app.add_flag("--explain", arguments.output.explain,
                               "Show how each translation comes about: pieces, every stage with its shape, each step");
  auto* layer = app.add_option("--layer", arguments.output.explanation.layer,
                               "With --explain: the layer to show, counted from 0, with the attention of its heads")
                    ->check(CLI::Range(0, 1 << 20))
                    ->needs(explain)
                    ->type_name("N");
  app.add_option("--example", arguments.example,
                 "With --explain: an attention exercise to compute instead, from a JSON file (docs/explain.md)")
      ->needs(explain)
      ->excludes(texts)
      ->excludes("--input")
      ->excludes(layer)
      ->type_name("FILE");
  app.add_option("--attention", arguments.output.attention,
                 "Also write a page that shows what each head of each layer looked at")
      ->excludes("--example")
      ->type_name("FILE.html");
  add_common_options(app, arguments.common);
  app.footer(kFooter);
}

translate::LoadedModel load(const translate::ModelSource& source, const Arguments& arguments,
                            const c10::Device& device) {
  auto loaded = source.load(device);
  auto& decoding = loaded.config.decoding;
  decoding.max_length = arguments.max_length.value_or(decoding.max_length);
  decoding.batch_tokens = arguments.batch_tokens.value_or(decoding.batch_tokens);
  return loaded;
}

/// An exercise needs no model.
int run_example(const Arguments& arguments) {
  const auto example = translate::compute_example(arguments.example);
  translate::LineWriter writer(arguments.output.path);
  writer.write(arguments.output.json ? to_json(example) : to_text(example));
  writer.flush();
  return 0;
}

/// What was translated, and the time from text to text; scripts/benchmark-peers reads the line that it logs.
class Account {
 public:
  void add(const translate::Translation& translation) {
    ++lines_;
    pieces_ += std::ssize(translation.tokens);
    truncated_ += translation.truncated ? 1 : 0;
  }
  void log() const {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
    translate::log_debug(fmt::format("translated {} line(s) into {} pieces in {:.4f} s, {} of them cut short", lines_,
                                     pieces_, seconds.count(), truncated_));
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::int64_t lines_ = 0;
  std::int64_t pieces_ = 0;
  std::int64_t truncated_ = 0;
};

int run(const Arguments& arguments) {
  translate::start_logging(arguments.common);
  if (!arguments.example.empty()) {
    return run_example(arguments);
  }
  std::optional<translate::LineReader> reader;
  if (arguments.texts.empty()) {
    reader.emplace(arguments.output.input);
  }
  const translate::ModelSource source(arguments.checkpoint, translate::Verify::kInference);
  const auto device = translate::start_computing(arguments.common);
  const auto loaded = load(source, arguments, device);
  auto translator = translate::make_translator(loaded, device, arguments.common);
  translate::TranslationOutput output(arguments.output, loaded, translate::pass_options(device, arguments.common),
                                      source.path().string());
  const bool interactive = reader && arguments.output.input.empty() && isatty(STDIN_FILENO) != 0;
  Account account;
  std::int64_t next_line = 1;
  auto lines = reader ? reader->read(interactive ? 1 : kLinesAtOnce) : arguments.texts;
  while (!lines.empty()) {
    for (const auto& translation : translator.translate(lines, next_line)) {
      output.write(translation);
      account.add(translation);
    }
    output.flush();
    next_line += std::ssize(lines);
    lines = reader ? reader->read(interactive ? 1 : kLinesAtOnce) : std::vector<std::string>();
  }
  output.finish();
  account.log();
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
