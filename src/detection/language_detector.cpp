#include "detection/language_detector.h"

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

#include <cstdio>  // the header below needs it

#include "core/utf8.h"
#include "languages/language_codes.h"

namespace translate {

namespace {

/// Returns today's code of a language: CLD2's "iw" is "he"; scripts stay ("zh-Hant").
std::string code_of(CLD2::Language language) { return usual_code(CLD2::LanguageCode(language)); }

}  // namespace

LanguageDetector::LanguageDetector(const std::vector<std::string>& likely) {
  for (const auto& code : likely) {
    const auto language = main_language(code);
    // With one script of Chinese alone as a hint, CLD2 takes every text in Chinese for that.
    hint_ += (hint_.empty() ? "" : ",") + (language == "zh" ? "zh-hans,zh-hant" : language);
  }
}

std::vector<DetectedLanguage> LanguageDetector::detect(std::string_view text) const {
  constexpr std::size_t kEnough = 1UL << 20U;  // bytes
  constexpr int kMost = 3;
  const auto valid = replace_invalid_utf8(std::string(text.substr(0, kEnough)));
  const CLD2::CLDHints hints = {.content_language_hint = hint_.c_str(),
                                .tld_hint = nullptr,
                                .encoding_hint = CLD2::UNKNOWN_ENCODING,
                                .language_hint = CLD2::UNKNOWN_LANGUAGE};
  for (const bool is_sure : {true, false}) {  // the second attempt accepts a guess
    CLD2::Language languages[kMost] = {};
    int percents[kMost] = {};
    double scores[kMost] = {};
    int letters = 0;
    int read = 0;
    bool is_reliable = false;
    CLD2::ExtDetectLanguageSummaryCheckUTF8(valid.data(), static_cast<int>(valid.size()), /*is_plain_text=*/true,
                                            &hints, is_sure ? 0 : CLD2::kCLDFlagBestEffort, languages, percents, scores,
                                            nullptr, &letters, &is_reliable, &read);
    std::vector<DetectedLanguage> found;
    for (int i = 0; i < kMost; ++i) {
      const bool is_language = languages[i] != CLD2::UNKNOWN_LANGUAGE && code_of(languages[i]).find("xx") != 0;
      if (is_language && percents[i] > 0) {
        found.push_back(
            {.language = code_of(languages[i]), .confidence = percents[i] / (is_sure ? 1.0 : 2.0), .is_sure = is_sure});
      }
    }
    if (!found.empty() && (is_reliable || !is_sure)) {
      return found;
    }
  }
  return {};
}

}  // namespace translate
