#include "translate/apps/translation_input.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "translate/core/error.h"

namespace translate {
namespace {

constexpr std::size_t kLinesAtOnce = 4096;  // of a file: enough to sort by length, few enough to see results come

}  // namespace

TranslationInput::TranslationInput(const InputOptions& options) : options_(options) {
  if (options.texts.empty()) {
    reader_.emplace(options.path);
    interactive_ = options.path.empty() && isatty(STDIN_FILENO) != 0;
  }
  if (!options.target.empty()) {
    if (!options.score || options.path.empty()) {
      throw ConfigError("--target goes with --score and --input: the file of the translations to score");
    }
    target_.emplace(options.target);
  }
}

std::vector<std::string> TranslationInput::read() {
  if (reader_) {
    return reader_->read(interactive_ ? 1 : kLinesAtOnce);
  }
  return std::exchange(ended_, true) ? std::vector<std::string>() : options_.texts;
}

/// What stands on either side of the tab; with --target the other side comes from its file.
std::vector<TextPair> TranslationInput::pairs(std::vector<std::string> lines) {
  std::vector<TextPair> pairs;
  if (target_) {
    auto targets = target_->read(lines.empty() ? 1 : lines.size());
    if (targets.size() != lines.size()) {
      const bool longer = targets.size() > lines.size();
      throw DataError(fmt::format("{} ends with line {}, but {} goes on: expected a translation for each line",
                                  longer ? options_.path : options_.target,
                                  next_line_ - 1 + std::ssize(longer ? lines : targets),
                                  longer ? options_.target : options_.path));
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      pairs.push_back({.source = std::move(lines[i]), .target = std::move(targets[i])});
    }
    return pairs;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto tab = lines[i].find('\t');
    if (tab == std::string::npos && (options_.score || !lines[i].empty())) {
      throw DataError(fmt::format("line {}: no tab; {} expects source<TAB>{}",
                                  next_line_ + static_cast<std::int64_t>(i), options_.score ? "--score" : "--prefixes",
                                  options_.score ? "translation" : "beginning of the translation"));
    }
    const bool has_tab = tab != std::string::npos;
    pairs.push_back({.source = lines[i].substr(0, tab), .target = has_tab ? lines[i].substr(tab + 1) : ""});
  }
  return pairs;
}

std::vector<Translation> TranslationInput::next(Translator& translator) {
  auto lines = read();
  const auto first = next_line_;
  const auto count = std::ssize(lines);
  std::vector<Translation> translations;
  if (options_.score) {
    translations = translator.score(pairs(std::move(lines)), first);
  } else if (options_.prefixes) {
    std::vector<PrefixedLine> prefixed;
    for (auto& pair : pairs(std::move(lines))) {
      prefixed.push_back({.text = std::move(pair.source), .target_prefix = std::move(pair.target)});
    }
    translations = translator.translate_with_prefixes(prefixed, first);
  } else {
    translations = translator.translate(lines, first);
  }
  next_line_ += count;
  return translations;
}

}  // namespace translate
