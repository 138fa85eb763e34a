#include "interop/export/argos_export.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "checkpoint/model_card.h"
#include "config/language_code.h"
#include "core/error.h"
#include "core/file.h"
#include "core/foreign_text.h"
#include "core/stable_file.h"
#include "interop/archive/zip_archive.h"
#include "interop/archive/zip_writing.h"
#include "interop/export/ctranslate2_export.h"
#include "interop/export/json_file.h"
#include "interop/export/weight_reader.h"
#include "languages/language_names.h"

namespace translate::tools {

namespace {

constexpr const char* kMetadata = "metadata.json";
constexpr const char* kTokenizer = "sentencepiece.model";
constexpr const char* kCard = "README.md";
constexpr const char* kPackageVersion = "1.0";
constexpr const char* kArgosVersion = "1.9.0";  // the oldest that the package is meant for

[[noreturn]] void refuse(const std::string& reason) {
  throw ConfigError("a package of Argos cannot hold this model: " + reason);
}

CardSystem card_system(const ModelToExport& model, const std::string& file) {
  const auto& [source, target, tag] = model.facts.directions.front();
  CardSystem system{.name = "Argos Translate", .library = "argostranslate", .use = {}, .notes = {}};
  system.use = fmt::format(R"(With `pip install argostranslate`, or in LibreTranslate, which uses it:

```python
from argostranslate import package, translate

package.install_from_path("{}")
print(translate.translate("The cat sat.", "{}", "{}"))
```
)",
                           file, source, target);
  system.notes.emplace_back(
      "Argos Translate splits text into sentences itself, searches with a beam of 4 and a length penalty of 0.2, and "
      "turns "
      "`_` into a space: translations may differ from those of the model's own search.");
  return system;
}

}  // namespace

void check_argos(const ModelToExport& model) {
  check_decoder(model.config.model, "a package of Argos");
  const auto& [source, target] = model.tokenizers;
  if (source.is_word_level()) {
    refuse(
        "its tokenizers are word-level, and there SentencePiece cuts the text; export to ctranslate2 or huggingface");
  }
  if (!have_same_subwords(source, target)) {
    refuse(
        "it has a tokenizer for each language, and there one SentencePiece model serves both; export to ctranslate2, "
        "or "
        "train with tokenizer.shared true");
  }
  if (!source.tagged_languages().empty()) {
    refuse(
        "its vocabulary has language tags, and a package there is of one direction, without a place for a tag; export "
        "to ctranslate2 or huggingface");
  }
  if (model.facts.directions.size() != 1) {
    refuse(
        "it needs the codes of the two languages of its direction, and the configuration does not name them, or names "
        "several directions; give them with "
        "--source-language and --target-language");
  }
  for (const auto& code : {model.facts.directions.front().source, model.facts.directions.front().target}) {
    if (!is_language_code(code)) {
      refuse(
          fmt::format("\"{}\" is not a language code, which becomes the name of a folder there; give both codes "
                      "with --source-language and --target-language",
                      shown(code)));
    }
  }
}

bool is_argos_export(const std::filesystem::path& file) {
  try {
    const ZipArchive archive(std::make_shared<const StableFile>(file), ZipContent::kDeflated);
    const auto names = archive.names();
    const auto root = names.empty() ? std::string() : names.front().substr(0, names.front().find('/') + 1);
    const auto has = [&](const char* name) { return archive.contains(root + name); };
    return has(kMetadata) && has(kTokenizer) && has(kCard) && has("model/model.bin");
  } catch (const Error&) {
    return false;
  }
}

void export_argos(const ModelToExport& model, StoredPrecision precision, const std::filesystem::path& workplace,
                  const std::filesystem::path& archive) {
  check_argos(model);
  const auto& [from, to, tag] = model.facts.directions.front();
  const auto root = workplace / fmt::format("translate-{}_{}-1_0", from, to);
  make_folder(root / "model");
  write_ctranslate2(model, precision, root / "model");
  // It cuts sources and joins translations, for which its normaliser does nothing.
  write_file_synced(root / kTokenizer, model.tokenizers.source.serialized());
  const nlohmann::ordered_json metadata = {{"package_version", kPackageVersion},
                                           {"argos_version", kArgosVersion},
                                           {"from_code", from},
                                           {"from_name", language_name(from)},
                                           {"to_code", to},
                                           {"to_name", language_name(to)}};
  write_json_file(root / kMetadata, metadata);
  write_file_synced(root / kCard, model_card(model.config, model.tokenizers, model.facts,
                                             card_system(model, archive.filename().string())));
  write_zip(archive, root);
}

}  // namespace translate::tools
