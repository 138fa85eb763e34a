#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "config/options.h"

namespace translate {

/// The English name of a language by its code (ISO 639, optionally followed by a region or script: "pt-BR" is
/// Portuguese (BR)), from ICU; the code itself if it is unknown.
[[nodiscard]] std::string language_name(std::string_view code);

/// The language code in a text file's extension: de for train.de, train.tok.de and train.de.gz, pt-BR for news.pt-BR.
/// Empty if the extension is not the code of a known language.
[[nodiscard]] std::string language_of_file(const std::filesystem::path& path);

/// What language_codes returns for languages that it does not know.
inline constexpr const char* kUnknownSource = "source";
inline constexpr const char* kUnknownTarget = "target";

/// The codes of a model's two languages.
struct LanguageCodes {
  std::string source;
  std::string target;
};

/// Returns the labels of the configuration if it has them; else the codes in the names of the training files if these
/// distinguish both languages; else kUnknownSource and
/// kUnknownTarget.
[[nodiscard]] LanguageCodes language_codes(const DataOptions& data);

}  // namespace translate
