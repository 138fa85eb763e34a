#include "translate/serving/language_names.h"

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

}  // namespace

std::string language_name(std::string_view code) {
  const auto end = std::min(code.find_first_of("-_"), code.size());
  std::string language(code.substr(0, end));
  std::ranges::transform(language, language.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* found = std::ranges::find(kNames, language, &std::pair<std::string_view, std::string_view>::first);
  if (found == std::end(kNames)) {
    return std::string(code);
  }
  std::string name(found->second);
  if (end + 1 < code.size()) {
    name += " (" + std::string(code.substr(end + 1)) + ")";
  }
  return name;
}

}  // namespace translate
