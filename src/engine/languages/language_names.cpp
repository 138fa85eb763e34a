#include "languages/language_names.h"

#include <unicode/uloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <utility>

#include "core/utf8.h"
#include "languages/language_codes.h"

namespace translate {

namespace {

constexpr std::size_t kLongestName = 200;  // in units of UTF-16

/// Languages whose usual names in machine translation differ from ICU's (Bangla, Western Frisian, Scottish Gaelic).
constexpr std::pair<std::string_view, std::string_view> kUsualNames[] = {
    {"bn", "Bengali"}, {"fy", "Frisian"}, {"gd", "Scots Gaelic"}};

/// The codes of ISO 639-1 that are in use. Names of files are held against these rather than against ICU, which would
/// be loaded at every start, and which knows withdrawn codes: `corpus.in` is more likely an input than Indonesian.
constexpr std::string_view kTwoLetterCodes =
    "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo "
    "es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka "
    "kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng "
    "nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su "
    "sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

bool is_two_letter_code(std::string_view text) {
  constexpr std::size_t kStride = 3;  // a code and a space
  for (std::size_t i = 0; i < kTwoLetterCodes.size(); i += kStride) {
    if (kTwoLetterCodes.substr(i, 2) == text) {
      return true;
    }
  }
  return false;
}

/// The English name of the language with this code (ISO 639, in lower case), from ICU; nothing if ICU has none.
std::optional<std::string> find_language(std::string_view code) {
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  if (code.size() < 2 || code.size() > 3 || !std::ranges::all_of(code, is_letter)) {
    return std::nullopt;
  }
  const auto* const usual = std::ranges::find(kUsualNames, code, &std::pair<std::string_view, std::string_view>::first);
  if (usual != std::end(kUsualNames)) {
    return std::string(usual->second);
  }
  std::u16string name(kLongestName, u'\0');
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t size = uloc_getDisplayLanguage(std::string(code).c_str(), "en", name.data(),
                                                    static_cast<std::int32_t>(name.size()), &status);
  if (U_FAILURE(status) || status == U_USING_DEFAULT_WARNING) {
    return std::nullopt;
  }
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
  const auto usual = usual_code(code);
  const auto end = without_subtags(usual).size();
  std::optional<std::string> name = find_language(ascii_lower(usual.substr(0, end)));
  if (!name) {
    return std::string(code);
  }
  if (end + 1 < usual.size()) {
    *name += " (" + usual.substr(end + 1) + ")";
  }
  return *name;
}

std::string language_of_file(const std::filesystem::path& path) {
  const auto file = path.extension() == ".gz" ? path.stem() : path.filename();
  auto code = file.extension().string();
  if (code.empty()) {
    return "";
  }
  code.erase(0, 1);
  const std::string_view whole = code;
  const auto end = without_subtags(whole).size();
  // Codes of three letters must come from the configuration: too many other extensions look like them (tok, new, bin).
  const bool is_code =
      is_two_letter_code(whole.substr(0, end)) && (end == code.size() || is_subtag(whole.substr(end + 1)));
  return is_code ? code : "";
}

LanguageCodes language_codes(const DataOptions& data, const CorpusFiles& corpus) {
  LanguageCodes files{.source = language_of_file(corpus.source), .target = language_of_file(corpus.target)};
  if (compare_languages(files.source, files.target) == LanguageMatch::kCode) {
    files = {};
  }
  const auto first_known = [](std::initializer_list<const char*> codes) {
    return std::string(*std::ranges::find_if(codes, [](const char* code) { return *code != '\0'; }));
  };
  return {.source = first_known(
              {corpus.source_language.c_str(), data.source_language.c_str(), files.source.c_str(), kUnknownSource}),
          .target = first_known(
              {corpus.target_language.c_str(), data.target_language.c_str(), files.target.c_str(), kUnknownTarget})};
}

LanguageCodes language_codes(const DataOptions& data) {
  return language_codes(data, data.train.empty() ? CorpusFiles() : data.train.front());
}

bool name_languages(std::span<const CorpusFiles> corpora) {
  return std::ranges::any_of(corpora, [](const CorpusFiles& files) {
    return !files.source_language.empty() || !files.target_language.empty();
  });
}

std::vector<LanguageCodes> language_pairs(const DataOptions& data) {
  if (!name_languages(data.train)) {
    return {language_codes(data)};
  }
  std::vector<LanguageCodes> pairs;
  for (const CorpusFiles& files : data.train) {
    auto codes = language_codes(data, files);
    if (std::ranges::find(pairs, codes) == pairs.end()) {
      pairs.push_back(std::move(codes));
    }
  }
  return pairs;
}

NamedSides named_sides(const DataOptions& data) {
  return {.source = !data.source_language.empty() ||
                    std::ranges::any_of(data.train, [](const auto& files) { return !files.source_language.empty(); }),
          .target = !data.target_language.empty() ||
                    std::ranges::any_of(data.train, [](const auto& files) { return !files.target_language.empty(); })};
}

}  // namespace translate
