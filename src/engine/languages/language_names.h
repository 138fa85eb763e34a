#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// The codes of two languages, from one of which a model translates into the other.
struct LanguageCodes {
  std::string source;
  std::string target;

  bool operator==(const LanguageCodes&) const = default;
};

/// Returns the languages of a corpus: those that it names itself; else the labels of the configuration; else the codes
/// in the names of its files if these distinguish both languages; else kUnknownSource and kUnknownTarget.
[[nodiscard]] LanguageCodes language_codes(const DataOptions& data, const CorpusFiles& corpus);

/// Returns the languages of the first training corpus.
[[nodiscard]] LanguageCodes language_codes(const DataOptions& data);

/// Whether any of the corpora names a language.
[[nodiscard]] bool name_languages(std::span<const CorpusFiles> corpora);

/// Returns the languages of the training corpora, each pair once and in the order of the corpora. If no corpus names
/// its languages, it is the one pair of language_codes.
[[nodiscard]] std::vector<LanguageCodes> language_pairs(const DataOptions& data);

/// Which sides of a model have languages that its configuration itself names; those of the others are known from file
/// names at most.
struct NamedSides {
  bool source = false;
  bool target = false;
};

/// Returns the sides that the configuration names, by its labels or its training corpora.
[[nodiscard]] NamedSides named_sides(const DataOptions& data);

}  // namespace translate
