#pragma once

#include <string>
#include <vector>

#include "languages/language_names.h"
#include "pairs/formats/pair_files.h"

namespace translate {

/// Whether two codes are of one language, maybe of different countries or scripts.
[[nodiscard]] bool are_one_language(const std::string& one, const std::string& other);

/// The languages of a text.
struct TextLanguages {
  LanguageCodes codes;
  bool are_recognised =
      true;  ///< most of both sides of all files reads like their languages, so that single pairs can be checked
};

/// Returns the languages of files with pairs: those that the files name, or, where one is unknown, the one that its
/// text is written in, which is logged. `given` are the languages that the user names. Throws ConfigError if files
/// differ in their languages, or if one is unknown and its text does not tell; DataError if a text is clearly in
/// another language than its file says. Where the user names it, that is a warning: the detector does not know every
/// language.
[[nodiscard]] TextLanguages languages_of_text(const std::vector<PairFiles>& files, const LanguageCodes& given);

}  // namespace translate
