#include "train/data_lint.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "checkpoint/checkpoint_directory.h"
#include "checkpoint/foreign_formats.h"
#include "checkpoint/runs.h"
#include "command_line/line_stream.h"
#include "core/counted.h"
#include "core/logging.h"
#include "core/temporary_folder.h"
#include "core/utf8.h"
#include "data/corpus_lint.h"
#include "data/round_trip.h"
#include "data/training_data.h"
#include "decoding/model_loading.h"
#include "languages/language_tags.h"
#include "text/tokenizer.h"
#include "text/tokenizer_agreement.h"
#include "text/tokenizer_training.h"

namespace translate::trainer {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, kFindings> kNames = {
    "empty",    "duplicate", "copied",    "not_utf8",     "control_character",  "mojibake",        "tab",
    "too_long", "uneven",    "uncovered", "not_restored", "source_in_training", "pair_in_training"};

struct Vocabulary {
  std::string origin;
  std::optional<TokenizerPair> tokenizers;
};

/// Returns the tokenizers of the weights that --init names; nothing if it names a file of weights alone.
std::optional<TokenizerPair> tokenizers_of_weights(const std::string& init, const Config& config) {
  const bool is_name = CheckpointDirectory::is_name(init);
  const auto* format = is_name ? nullptr : find_model_format(init);
  if (!is_name && std::filesystem::is_regular_file(init) && format == nullptr) {
    return std::nullopt;
  }
  const auto checked = [&](TokenizerPair tokenizers, const TokenizerOptions& options) {
    check_tokenizers_of_weights(config.tokenizer, {.tokenizers = tokenizers, .options = options, .origin = init});
    return tokenizers;
  };
  if (format != nullptr) {
    auto model = format->open(init);
    return checked(std::move(model.tokenizers), model.config.tokenizer);
  }
  const auto checkpoint =
      open_checkpoints(init, /*run_dir=*/{}, config.run_dir.parent_path(), Verify::kInference).front();
  const auto options = checkpoint.config().tokenizer;
  return checked(load_tokenizers(checkpoint, options), options);
}

Vocabulary vocabulary(const Config& config, const std::string& init, CorpusLint& lint) {
  if (!init.empty()) {
    if (auto tokenizers = tokenizers_of_weights(init, config)) {
      return {.origin = "those of " + init, .tokenizers = std::move(tokenizers)};
    }
  }
  const auto& options = config.tokenizer;
  if (!options.source_model.empty() || !options.target_model.empty()) {
    return {.origin = "the existing ones", .tokenizers = load_ready_tokenizers(options)};
  }
  const auto folder = data_folders(config, config.run_dir).tokenizers;
  if (auto built = built_tokenizers(folder)) {
    return {.origin = folder.string(), .tokenizers = std::move(built)};
  }
  auto sample = lint.take_sample();
  if (sample.source.empty()) {
    return {.origin = "none: there is no pair to train them on", .tokenizers = std::nullopt};
  }
  const TemporaryFolder temporary;
  return {
      .origin = "trained for this check",
      .tokenizers = get_or_build_tokenizer(
          options, {.text = "lint", .read_text = [&] { return std::move(sample); }, .tags = language_tags(config.data)},
          temporary.path())};
}

/// Quotes text for one line of a terminal: control characters are escaped and long text is shortened.
std::string quoted(const std::string& text) {
  constexpr std::size_t kMost = 70;
  std::string shown;
  const auto characters = decode_utf8(text);
  for (const auto character : characters.substr(0, kMost)) {
    const bool is_control = character < 0x20 || (character >= 0x7F && character <= 0x9F);
    shown += is_control ? fmt::format("\\u{:04x}", static_cast<std::uint32_t>(character))
                        : encode_utf8(std::u32string(1, character));
  }
  return fmt::format("\"{}\"{}", shown, characters.size() > kMost ? "..." : "");
}

std::string meaning(Finding finding, const CorpusLint& lint, const Config& config) {
  switch (finding) {
    case Finding::kEmpty:
      return "a side is empty or blank";
    case Finding::kDuplicate:
      return "the pair repeats an earlier one";
    case Finding::kCopied:
      return "source and target are the same";
    case Finding::kNotUtf8:
      return "invalid UTF-8: training would stop there";
    case Finding::kControlCharacter:
      return "control characters, or U+FFFD in place of a lost one";
    case Finding::kMojibake:
      return "UTF-8 that was read as Latin-1 or Windows-1252";
    case Finding::kTab:
      return "a tab, as between the columns of a TSV file, which cut -f1 and cut -f2 separate";
    case Finding::kTooLong:
      return fmt::format("a side has more than {} subwords (data.max_length)", config.data.max_length);
    case Finding::kUneven:
      return fmt::format("a side has more than {:g} times the subwords of the other", lint.uneven_limit());
    case Finding::kUncovered:
      return "some of the text is not in the vocabulary";
    case Finding::kNotRestored:
      return "the tokenizer does not give the target back, so a model cannot generate it";
    case Finding::kSourceInTraining:
      return "the source is in the training text";
    case Finding::kPairInTraining:
      return "the pair is in the training text";
  }
  return "";
}

double share(std::uint64_t count, std::uint64_t of) {
  return of == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(of);
}

std::string to_text(const CorpusLint& lint, const Config& config, const std::string& vocabulary) {
  std::string text;
  for (const auto& split : lint.splits()) {
    text += fmt::format("{}: {}\n", split.name, counted(split.pairs, "pair"));
    for (std::size_t i = 0; i < kFindings; ++i) {
      const auto& found = split.findings.at(i);
      if (found.pairs == 0) {
        continue;
      }
      text += fmt::format("  {:<18} {:>9} {:>7.3f} %   {}\n", kNames.at(i), found.pairs,
                          100.0 * share(found.pairs, split.pairs), meaning(static_cast<Finding>(i), lint, config));
      for (const auto& example : found.examples) {
        text += fmt::format("      {}  {} | {}\n", example.place, quoted(example.source), quoted(example.target));
      }
    }
  }
  if (!lint.uncovered().empty()) {
    text += "not in the vocabulary:";
    for (const auto& [what, count] : lint.uncovered()) {
      text += fmt::format(" {} ({})", quoted(what), count);
    }
    text += "\n";
  }
  if (!lint.lost().empty()) {
    text += "lost from targets in the tokenizer:";
    for (const auto& [what, count] : lint.lost()) {
      text += fmt::format(" {} ({})", describe_character(what), count);
    }
    text += "\n";
  }
  text += fmt::format("vocabularies: {}\n", vocabulary);
  text += lint.total() == 0 ? "nothing found\n" : fmt::format("{} findings\n", lint.total());
  return text;
}

std::string to_json(const CorpusLint& lint, const std::string& vocabulary) {
  Json json = {{"findings", lint.total()}, {"vocabularies", vocabulary}};
  for (const auto& split : lint.splits()) {
    auto& object = json["splits"][split.name];
    object["pairs"] = split.pairs;
    for (std::size_t i = 0; i < kFindings; ++i) {
      const auto& found = split.findings.at(i);
      auto examples = Json::array();
      for (const auto& example : found.examples) {
        examples.push_back({{"place", example.place}, {"source", example.source}, {"target", example.target}});
      }
      object["findings"][kNames.at(i)] = {
          {"pairs", found.pairs}, {"share", share(found.pairs, split.pairs)}, {"examples", std::move(examples)}};
    }
  }
  json["uncovered"] = Json::array();
  for (const auto& [what, count] : lint.uncovered()) {
    json["uncovered"].push_back({{"text", what}, {"times", count}});
  }
  json["lost"] = Json::array();
  for (const auto& [what, count] : lint.lost()) {
    json["lost"].push_back({{"text", what}, {"times", count}});
  }
  return json_line(json) + "\n";
}

}  // namespace

LintReport lint_data(const Config& config, const std::string& init, LintForm form) {
  check_files_are_there(config.data);
  CorpusLint lint(config);
  lint.read_text();
  const auto [origin, tokenizers] = vocabulary(config, init, lint);
  if (tokenizers) {
    lint.read_subwords(*tokenizers);
  }
  return {.text = form == LintForm::kJson ? to_json(lint, origin) : to_text(lint, config, origin),
          .findings = lint.total()};
}

}  // namespace translate::trainer
