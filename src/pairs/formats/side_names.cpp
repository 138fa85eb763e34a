#include "pairs/formats/side_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "core/utf8.h"
#include "languages/language_codes.h"

namespace translate {

namespace {

/// English names of languages in small letters, with the codes of ISO 639-1.
const std::map<std::string, std::string>& languages_by_name() {
  static const auto names = [] {
    std::map<std::string, std::string> all;
    for (char first = 'a'; first <= 'z'; ++first) {
      for (char second = 'a'; second <= 'z'; ++second) {
        const std::string code{first, second};
        if (const auto name = language_name(code); name != code) {
          all.emplace(ascii_lower(name), code);
        }
      }
    }
    return all;
  }();
  return names;
}

std::optional<std::size_t> find_any(std::span<const std::string> names, std::span<const std::string_view> wanted) {
  const auto found = std::ranges::find_if(
      names, [&](const std::string& name) { return std::ranges::find(wanted, ascii_lower(name)) != wanted.end(); });
  return found == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - names.begin()));
}

/// The place of a language among others, but not `taken`.
std::optional<std::size_t> find_language(std::span<const std::optional<std::string>> languages,
                                         const std::string& wanted, std::optional<std::size_t> taken) {
  for (std::size_t i = 0; i < languages.size(); ++i) {
    if (languages[i] && i != taken &&
        (wanted.empty() || compare_languages(*languages[i], wanted) >= LanguageMatch::kLanguage)) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> named_language(std::string_view text) {
  constexpr std::size_t kLongestLanguage = 3;
  const auto language = without_subtags(text);
  if (language.size() >= 2 && language.size() <= kLongestLanguage && is_one_language(text) &&
      language_name(text) != text) {
    return std::string(text);
  }
  const auto& names = languages_by_name();
  const auto found = names.find(ascii_lower(text));
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

std::optional<NamedPair> sides_by_names(std::span<const std::string> names, const LanguageCodes& wanted) {
  constexpr std::array<std::string_view, 2> kSource = {"source", "src"};
  constexpr std::array<std::string_view, 4> kTarget = {"target", "tgt", "trg", "translation"};
  const auto [source, target] = std::pair(find_any(names, kSource), find_any(names, kTarget));
  if (source && target) {
    return NamedPair{.source = *source, .target = *target, .languages = {}};
  }
  std::vector<std::optional<std::string>> languages(names.size());
  std::ranges::transform(names, languages.begin(), named_language);
  // Of several columns one named id has numbers rather than Indonesian.
  if (const auto id = std::ranges::find(names, "id"); names.size() > 2 && id != names.end()) {
    languages[static_cast<std::size_t>(id - names.begin())].reset();
  }
  // The target that is asked for must not be taken for the source, which may be any other language.
  const auto of_target = wanted.target.empty() ? std::nullopt : find_language(languages, wanted.target, std::nullopt);
  const auto first = find_language(languages, wanted.source, of_target);
  const auto second = of_target ? of_target : find_language(languages, wanted.target, first);
  if (!first || !second) {
    return std::nullopt;
  }
  return NamedPair{
      .source = *first, .target = *second, .languages = {.source = *languages[*first], .target = *languages[*second]}};
}

}  // namespace translate
