#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// A language that a text may be written in.
struct DetectedLanguage {
  std::string language;     ///< its code: "en"
  double confidence = 0.0;  ///< percent
  bool is_sure = false;     ///< the detector considers it reliable
};

/// Detects the language of a text, with CLD2: four-letter sequences, words and scripts of 80 languages.
class LanguageDetector {
 public:
  /// `likely`: the languages of most texts; they get more weight, which matters to short texts.
  explicit LanguageDetector(const std::vector<std::string>& likely);

  /// Returns the languages of a plain text, at most three, the one with most of the text first; none if it has no
  /// words. The confidence is the share of the text that is in the language, halved if there is too little text to be
  /// sure. Invalid UTF-8 is read as U+FFFD. Thread-safe.
  [[nodiscard]] std::vector<DetectedLanguage> detect(std::string_view text) const;

 private:
  std::string hint_;  ///< "en,fr"
};

}  // namespace translate
