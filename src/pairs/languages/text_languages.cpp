#include "pairs/languages/text_languages.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/logging.h"
#include "detection/language_detector.h"
#include "languages/language_codes.h"

namespace translate {

namespace {

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

/// The language that at least so many percent of a text are clearly written in.
std::optional<std::string> language_with(double percent, const std::vector<DetectedLanguage>& found) {
  const bool is_clear = !found.empty() && found.front().is_sure && found.front().confidence >= percent;
  return is_clear ? std::optional(found.front().language) : std::nullopt;
}

/// A side of files.
struct Side {
  const char* name;   ///< "source"
  std::string text;   ///< its beginning
  std::string named;  ///< its language as the files say; empty: unknown
  std::string given;  ///< as the user says
};

/// Returns the language of a side. `is_recognised` becomes false unless the text reads like it.
std::string language_of(const Side& side, const std::string& files, bool& is_recognised) {
  constexpr double kNearlyAll = 85.0;
  constexpr double kMost = 50.0;
  const auto languages = LanguageDetector({}).detect(side.text);
  const auto found = language_with(kNearlyAll, languages);
  const auto of_most = language_with(kMost, languages);
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
  is_recognised = is_recognised && of_most && are_one_language(*of_most, side.named);
  if (found && !are_one_language(*found, side.named)) {
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

bool are_one_language(const std::string& one, const std::string& other) {
  return compare_languages(one, other) >= LanguageMatch::kLanguage;
}

TextLanguages languages_of_text(const std::vector<PairFiles>& files, const LanguageCodes& given) {
  std::optional<LanguageCodes> common;
  bool are_recognised = true;
  for (const auto& one : files) {
    auto texts = beginning_of(one);
    const auto language = [&](const Side& side) { return language_of(side, one.name(), are_recognised); };
    const LanguageCodes languages{
        .source = language({"source", std::move(texts.source), one.languages.source, given.source}),
        .target = language({"target", std::move(texts.target), one.languages.target, given.target})};
    if (common &&
        (!are_one_language(common->source, languages.source) || !are_one_language(common->target, languages.target))) {
      throw ConfigError(fmt::format(
          "{} is from {} to {}, but {} from {} to {}: leave one out, or choose the languages "
          "by --source-language and --target-language",
          files.front().name(), common->source, common->target, one.name(), languages.source, languages.target));
    }
    common = common ? common : languages;
  }
  return {.codes = common.value_or(LanguageCodes{}), .are_recognised = are_recognised};
}

}  // namespace translate
