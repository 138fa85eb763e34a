#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "config/options.h"

namespace translate {

/// The English name of a language by its code (ISO 639, also with a region or script behind: "pt-BR" is Portuguese
/// (BR)), by ICU; the code itself where it is not known.
[[nodiscard]] std::string language_name(std::string_view code);

/// The code that a text file has as its extension: de of train.de, train.tok.de and train.de.gz, pt-BR of news.pt-BR.
/// Empty where the extension is not the code of a known language.
[[nodiscard]] std::string language_of_file(const std::filesystem::path& path);

/// What a model's languages are called.
struct LanguageCodes {
  std::string source;
  std::string target;
};

/// The labels of the configuration, where it has them; else what the training files are called after, where that tells
/// both languages apart; else `source` and `target`.
[[nodiscard]] LanguageCodes language_codes(const DataOptions& data);

}  // namespace translate
