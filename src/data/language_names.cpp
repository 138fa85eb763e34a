#include "data/language_names.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace translate {

namespace {

constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"af", "Afrikaans"},
                                                                    {"am", "Amharic"},
                                                                    {"ar", "Arabic"},
                                                                    {"az", "Azerbaijani"},
                                                                    {"be", "Belarusian"},
                                                                    {"bg", "Bulgarian"},
                                                                    {"bn", "Bengali"},
                                                                    {"bs", "Bosnian"},
                                                                    {"ca", "Catalan"},
                                                                    {"cs", "Czech"},
                                                                    {"cy", "Welsh"},
                                                                    {"da", "Danish"},
                                                                    {"de", "German"},
                                                                    {"el", "Greek"},
                                                                    {"en", "English"},
                                                                    {"eo", "Esperanto"},
                                                                    {"es", "Spanish"},
                                                                    {"et", "Estonian"},
                                                                    {"eu", "Basque"},
                                                                    {"fa", "Persian"},
                                                                    {"fi", "Finnish"},
                                                                    {"fo", "Faroese"},
                                                                    {"fr", "French"},
                                                                    {"fy", "Frisian"},
                                                                    {"ga", "Irish"},
                                                                    {"gd", "Scots Gaelic"},
                                                                    {"gl", "Galician"},
                                                                    {"gu", "Gujarati"},
                                                                    {"ha", "Hausa"},
                                                                    {"he", "Hebrew"},
                                                                    {"hi", "Hindi"},
                                                                    {"hr", "Croatian"},
                                                                    {"hu", "Hungarian"},
                                                                    {"hy", "Armenian"},
                                                                    {"id", "Indonesian"},
                                                                    {"ig", "Igbo"},
                                                                    {"is", "Icelandic"},
                                                                    {"it", "Italian"},
                                                                    {"ja", "Japanese"},
                                                                    {"ka", "Georgian"},
                                                                    {"kk", "Kazakh"},
                                                                    {"km", "Khmer"},
                                                                    {"kn", "Kannada"},
                                                                    {"ko", "Korean"},
                                                                    {"ku", "Kurdish"},
                                                                    {"ky", "Kyrgyz"},
                                                                    {"la", "Latin"},
                                                                    {"lb", "Luxembourgish"},
                                                                    {"lo", "Lao"},
                                                                    {"lt", "Lithuanian"},
                                                                    {"lv", "Latvian"},
                                                                    {"mk", "Macedonian"},
                                                                    {"ml", "Malayalam"},
                                                                    {"mn", "Mongolian"},
                                                                    {"mr", "Marathi"},
                                                                    {"ms", "Malay"},
                                                                    {"mt", "Maltese"},
                                                                    {"my", "Burmese"},
                                                                    {"nb", "Norwegian Bokmål"},
                                                                    {"ne", "Nepali"},
                                                                    {"nl", "Dutch"},
                                                                    {"nn", "Norwegian Nynorsk"},
                                                                    {"no", "Norwegian"},
                                                                    {"oc", "Occitan"},
                                                                    {"pa", "Punjabi"},
                                                                    {"pl", "Polish"},
                                                                    {"ps", "Pashto"},
                                                                    {"pt", "Portuguese"},
                                                                    {"ro", "Romanian"},
                                                                    {"ru", "Russian"},
                                                                    {"si", "Sinhala"},
                                                                    {"sk", "Slovak"},
                                                                    {"sl", "Slovenian"},
                                                                    {"so", "Somali"},
                                                                    {"sq", "Albanian"},
                                                                    {"sr", "Serbian"},
                                                                    {"sv", "Swedish"},
                                                                    {"sw", "Swahili"},
                                                                    {"ta", "Tamil"},
                                                                    {"te", "Telugu"},
                                                                    {"tg", "Tajik"},
                                                                    {"th", "Thai"},
                                                                    {"tl", "Tagalog"},
                                                                    {"tr", "Turkish"},
                                                                    {"tt", "Tatar"},
                                                                    {"uk", "Ukrainian"},
                                                                    {"ur", "Urdu"},
                                                                    {"uz", "Uzbek"},
                                                                    {"vi", "Vietnamese"},
                                                                    {"xh", "Xhosa"},
                                                                    {"yi", "Yiddish"},
                                                                    {"yo", "Yoruba"},
                                                                    {"zh", "Chinese"},
                                                                    {"zu", "Zulu"}};

const std::pair<std::string_view, std::string_view>* find_language(std::string_view code) {
  const auto* found = std::ranges::find(kNames, code, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kNames) ? nullptr : found;
}

/// A region ("BR") or a script ("Hant"), as codes have them behind the language.
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
  const auto* found = find_language(language);
  if (found == nullptr) {
    return std::string(code);
  }
  std::string name(found->second);
  if (end + 1 < code.size()) {
    name += " (" + std::string(code.substr(end + 1)) + ")";
  }
  return name;
}

std::string language_of_file(const std::filesystem::path& path) {
  const auto file = path.extension() == ".gz" ? path.stem() : path.filename();
  auto code = file.extension().string();
  if (code.empty()) return "";
  code.erase(0, 1);
  const auto end = std::min(code.find_first_of("-_"), code.size());
  const std::string_view whole = code;
  const bool is_code =
      find_language(whole.substr(0, end)) != nullptr && (end == code.size() || is_subtag(whole.substr(end + 1)));
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
