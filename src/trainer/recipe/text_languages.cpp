#include "recipe/text_languages.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/logging.h"
#include "detection/language_detector.h"
#include "languages/language_codes.h"

namespace translate::trainer {

namespace {

bool is_same(const std::string& one, const std::string& other) {
  return compare_languages(one, other) >= LanguageMatch::kLanguage;
}

/// The beginning of a text: some hundred of its sentences, one a line.
SentencePair beginning_of(const PairFiles& files) {
  constexpr std::size_t kPairs = 1000;
  constexpr std::size_t kBytes = 100'000;
  const auto source = open_pairs(files);
  SentencePair texts;
  SentencePair pair;
  for (std::size_t read = 0; read < kPairs && texts.source.size() < kBytes && source->next(pair); ++read) {
    texts.source += pair.source + "\n";
    texts.target += pair.target + "\n";
  }
  return texts;
}

/// The language that nearly all of a text is clearly written in.
std::optional<std::string> detected(const std::string& text) {
  constexpr double kNearlyAll = 85.0;  // percent
  const auto found = LanguageDetector({}).detect(text);
  const bool is_clear = !found.empty() && found.front().is_sure && found.front().confidence >= kNearlyAll;
  return is_clear ? std::optional(found.front().language) : std::nullopt;
}

/// A side of files.
struct Side {
  const char* name;   ///< "source"
  std::string text;   ///< its beginning
  std::string named;  ///< its language as the files say; empty: unknown
  std::string given;  ///< as the user says
};

/// Returns the language of a side.
std::string language_of(const Side& side, const std::string& files) {
  const auto found = detected(side.text);
  if (side.named.empty()) {
    if (!found) {
      throw ConfigError(
          fmt::format("{}: which language is the {}? Give it by --{}-language, or in the names of the files, "
                      "as in train.de train.en or my.de-en.tsv",
                      files, side.name, side.name));
    }
    log_info(fmt::format("languages: the {} of {} reads like {}", side.name, files, language_name(*found)));
    return *found;
  }
  if (found && !is_same(*found, side.named)) {
    const auto message = fmt::format("{}: the {} reads like {} ({}), not like {} ({})", files, side.name,
                                     language_name(*found), *found, language_name(side.named), side.named);
    if (side.given.empty()) {
      throw DataError(
          fmt::format("{}; --source-language and --target-language name the languages if it is right", message));
    }
    log_warning(message);
  }
  return side.named;
}

}  // namespace

LanguageCodes languages_of_text(const std::vector<PairFiles>& files, const LanguageCodes& given) {
  std::optional<LanguageCodes> common;
  for (const auto& one : files) {
    auto texts = beginning_of(one);
    const LanguageCodes languages{
        .source = language_of({"source", std::move(texts.source), one.languages.source, given.source}, one.name()),
        .target = language_of({"target", std::move(texts.target), one.languages.target, given.target}, one.name())};
    if (common && (!is_same(common->source, languages.source) || !is_same(common->target, languages.target))) {
      throw ConfigError(fmt::format(
          "{} is from {} to {}, but {} from {} to {}: leave one out, or choose the languages "
          "by --source-language and --target-language",
          files.front().name(), common->source, common->target, one.name(), languages.source, languages.target));
    }
    common = common ? common : languages;
  }
  return common.value_or(LanguageCodes{});
}

}  // namespace translate::trainer
