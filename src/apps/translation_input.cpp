#include "translate/apps/translation_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "translate/core/error.h"

namespace translate {
namespace {

// Lines that are translated together: enough to sort them by length, few enough to see results come.
constexpr std::size_t kFirstLines = 2048;
constexpr std::size_t kFewestLines = 256;
constexpr std::size_t kMostLines = 16384;
constexpr double kSecondsAtOnce = 3.0;

/// `count` lines, or fewer where the text ends.
std::vector<std::string> read_all(LineStream& stream, std::size_t count) {
  auto lines = stream.read(count);
  while (lines.size() < count) {
    auto more = stream.read(count - lines.size());
    if (more.empty()) {
      break;
    }
    std::ranges::move(more, std::back_inserter(lines));
  }
  return lines;
}

}  // namespace

TranslationInput::TranslationInput(const InputOptions& options) : options_(options), lines_at_once_(kFirstLines) {
  if (options.texts.empty()) {
    reader_.emplace(options.path);
  }
  if (!options.target.empty()) {
    if (!options.score || options.path.empty()) {
      throw ConfigError("--target goes with --score and --input: the file of the translations to score");
    }
    target_.emplace(options.target);
  }
}

std::optional<LineStream::Progress> TranslationInput::progress() const {
  return reader_ ? reader_->progress() : std::nullopt;
}

std::vector<std::string> TranslationInput::read() {
  if (reader_) {
    return reader_->read(lines_at_once_);
  }
  return std::exchange(ended_, true) ? std::vector<std::string>() : options_.texts;
}

/// What stands on either side of the tab; with --target the other side comes from its file.
std::vector<TextPair> TranslationInput::pairs(std::vector<std::string> lines) {
  std::vector<TextPair> pairs;
  if (target_) {
    auto targets = read_all(*target_, lines.empty() ? 1 : lines.size());
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
  const auto start = std::chrono::steady_clock::now();
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
  if (count == static_cast<std::int64_t>(lines_at_once_)) {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const double wanted = static_cast<double>(count) * kSecondsAtOnce / std::max(seconds.count(), 1e-3);
    lines_at_once_ = static_cast<std::size_t>(
        std::clamp(wanted, static_cast<double>(kFewestLines), static_cast<double>(kMostLines)));
  }
  return translations;
}

}  // namespace translate
