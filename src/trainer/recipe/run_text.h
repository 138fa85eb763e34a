#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/temporary_folder.h"
#include "languages/language_names.h"
#include "pairs/formats/pair_files.h"
#include "pairs/languages/text_languages.h"
#include "recipe/recipe.h"
#include "train/recipe_request.h"

namespace translate::trainer {

/// The files that a user gives for a training without a configuration.
struct GivenText {
  std::vector<PairFiles> files;    ///< the text to train on
  std::vector<PairFiles> general;  ///< for fine-tuning: general text
  std::vector<PairFiles> clean;    ///< for a new model: text of better quality, named by the user or found
  TextLanguages languages;
};

/// Finds the files of a request and their languages, which are logged; `known` are those that the user or a model name.
/// Text from stdin is copied into a new folder, `copied`. Throws as find_pair_files and languages_of_text do, and
/// ConfigError if the other texts are in other languages.
[[nodiscard]] GivenText find_text(const RecipeRequest& request, const LanguageCodes& known,
                                  std::optional<TemporaryFolder>& copied);

/// The file of a run with its configuration and the reasons for it.
inline constexpr const char* kRecipeFile = "recipe.json";

/// The folder in a run with the prepared general text of a fine-tuning.
inline constexpr const char* kGeneralFolder = "general";

/// The folder in a run with the prepared text of better quality.
inline constexpr const char* kCleanFolder = "clean";

/// The folder of a run that trains on the files, and what is in it.
struct RunText {
  std::filesystem::path run_dir;
  std::filesystem::path text;     ///< the prepared text (see prepare_pairs)
  std::filesystem::path general;  ///< the prepared general text; empty: there is none
  std::filesystem::path clean;    ///< the prepared text of better quality; empty: there is none
  LanguageCodes languages = {};
  LanguageCodes tagged = {};  ///< what the corpora name, if the model reads a tag of the target language; else empty
  std::uint64_t seed = 0;
  bool has_recipe = false;                ///< a run of the same text has a recipe already
  std::vector<CorpusFiles> written = {};  ///< for students: what teachers have written
  Teachers teachers = {};                 ///< for students
  std::optional<StudentSize> size = {};   ///< for students: the size of the model; unset: follows from the text
};

/// Returns the files of one of the sets in a folder of the run, with the languages that the corpora name.
[[nodiscard]] CorpusFiles corpus_of(const RunText& run, const std::filesystem::path& folder, const std::string& set);

/// Returns the training text of a run, with that of better quality behind it if there is some, without what models have
/// written.
[[nodiscard]] std::vector<CorpusFiles> real_corpora(const RunText& run);

/// Returns how much text corpora have, whatever their weights.
[[nodiscard]] TextAmount amount_of(const std::vector<CorpusFiles>& corpora);

/// Prepares the text (prepare_pairs) in `text/` of the run's folder, general text in `general/`, and text of better
/// quality in `clean/`, unless a run of the same text has done so; counts are logged. Where there is text of better
/// quality, validation and test set are held out of it alone. Throws as prepare_pairs does, and ConfigError if the
/// folder that the user names has something else in it.
[[nodiscard]] RunText prepare_run_text(const RecipeRequest& request, const GivenText& given, std::uint64_t seed);

}  // namespace translate::trainer
