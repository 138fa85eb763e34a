#pragma once

#include <string>
#include <vector>

#include "interop/export/model_to_export.h"

namespace translate {

/// What a model's card says of the system that the model is for.
struct CardSystem {
  std::string name;                ///< "CTranslate2"
  std::string library;             ///< its name in the front matter: "ctranslate2"
  std::string use;                 ///< Markdown that shows how to translate with the model
  std::vector<std::string> notes;  ///< whole sentences on what is different there
};

/// Returns the model's card, README.md in Markdown, with the front matter that the Hugging Face hub reads: languages,
/// tags and the score. It tells of the languages, the sizes, the names of the text files (never their folders), the
/// updates and the score on the validation set, as far as they are known.
[[nodiscard]] std::string model_card(const ModelToExport& model, const CardSystem& system);

/// "English to French", or "the source language to the target language" if they are unknown.
[[nodiscard]] std::string language_direction(const LanguageCodes& languages);

}  // namespace translate
