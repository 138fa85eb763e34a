#include "data/language_names.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "core/libraries/loaded_libraries.h"
#include "core/utf8.h"

namespace translate {

namespace {

constexpr std::size_t kLongestName = 200;  // in units of UTF-16

/// Languages whose usual names in machine translation differ from ICU's (Bangla, Western Frisian, Scottish Gaelic).
constexpr std::pair<std::string_view, std::string_view> kUsualNames[] = {
    {"bn", "Bengali"}, {"fy", "Frisian"}, {"gd", "Scots Gaelic"}};

/// Codes that ISO 639 has withdrawn, but that ICU still knows: `corpus.in` is more likely an input than Indonesian.
constexpr std::string_view kWithdrawnCodes[] = {"in", "iw", "ji", "jw", "mo"};

/// The English name of the language with this code (ISO 639, in lower case), from ICU; nothing if ICU has none.
std::optional<std::string> find_language(std::string_view code) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  if (code.size() < 2 || code.size() > 3 || !std::ranges::all_of(code, is_letter)) return std::nullopt;
  const auto* const usual = std::ranges::find(kUsualNames, code, &std::pair<std::string_view, std::string_view>::first);
  if (usual != std::end(kUsualNames)) return std::string(usual->second);
  std::u16string name(kLongestName, u'\0');
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t size = icu().uloc_getDisplayLanguage(std::string(code).c_str(), "en", name.data(),
                                                          static_cast<std::int32_t>(name.size()), &status);
  if (U_FAILURE(status) || status == U_USING_DEFAULT_WARNING) return std::nullopt;
  return encode_utf8(std::u32string(name.begin(), name.begin() + size));  // no name has a surrogate
}

/// A region ("BR") or a script ("Hant"), as in the suffix of a language code.
bool is_subtag(std::string_view text) {
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_lower = [](char c) { return c >= 'a' && c <= 'z'; };
  return (text.size() == 2 && std::ranges::all_of(text, is_upper)) ||
         (text.size() == 4 && is_upper(text.front()) && std::ranges::all_of(text.substr(1), is_lower));
}

}  // namespace

std::string language_name(std::string_view code) {
  const auto end = std::min(code.find_first_of("-_"), code.size());
  std::string language(code.substr(0, end));
  std::ranges::transform(language, language.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::optional<std::string> name = find_language(language);
  if (!name) return std::string(code);
  if (end + 1 < code.size()) *name += " (" + std::string(code.substr(end + 1)) + ")";
  return *name;
}

std::string language_of_file(const std::filesystem::path& path) {
  const auto file = path.extension() == ".gz" ? path.stem() : path.filename();
  auto code = file.extension().string();
  if (code.empty()) return "";
  code.erase(0, 1);
  const auto end = std::min(code.find_first_of("-_"), code.size());
  const std::string_view whole = code;
  // Codes of three letters must come from the configuration: too many other extensions look like them (tok, new, bin).
  const bool is_withdrawn = std::ranges::find(kWithdrawnCodes, whole.substr(0, end)) != std::end(kWithdrawnCodes);
  const bool is_code = end == 2 && !is_withdrawn && find_language(whole.substr(0, end)) &&
                       (end == code.size() || is_subtag(whole.substr(end + 1)));
  return is_code ? code : "";
}

LanguageCodes language_codes(const DataOptions& data) {
  LanguageCodes codes{.source = data.source_language, .target = data.target_language};
  LanguageCodes files;
  if (!data.train.empty()) {
    files = {.source = language_of_file(data.train.front().source),
             .target = language_of_file(data.train.front().target)};
  }
  if (files.source == files.target) files = {};
  if (codes.source.empty()) codes.source = files.source.empty() ? "source" : files.source;
  if (codes.target.empty()) codes.target = files.target.empty() ? "target" : files.target;
  return codes;
}

}  // namespace translate
