#pragma once

#include <filesystem>

#include "interop/export/model_to_export.h"

namespace translate::tools {

/// Throws ConfigError, naming what is not supported and what could be done, unless a package of Argos can hold the
/// model: it needs one SentencePiece model for both sides, and the codes of both languages.
void check_argos(const ModelToExport& model);

/// Whether a file is a package that export_argos has written; not if it cannot be read. Throws RuntimeError if libzip
/// is not installed.
[[nodiscard]] bool is_argos_export(const std::filesystem::path& file);

/// Writes a package of Argos Translate, a zip archive (.argosmodel) of one folder: metadata.json, the CTranslate2 model
/// in model/, sentencepiece.model and the card, README.md. `workplace`: a folder for unpacked files. Throws as
/// check_argos, write_ctranslate2 and write_zip.
void export_argos(const ModelToExport& model, StoredPrecision precision, const std::filesystem::path& workplace,
                  const std::filesystem::path& archive);

}  // namespace translate::tools
