#pragma once

#include <filesystem>

#include "interop/export/model_to_export.h"

namespace translate::tools {

/// An export: its format and its place.
struct ExportRequest {
  ExportFormat format = ExportFormat::kCTranslate2;
  StoredPrecision precision = StoredPrecision::kFp32;
  std::filesystem::path output;  ///< a folder; for kArgos a file
  bool replace = false;          ///< an earlier export there is replaced
};

/// Returns the place of the output. Throws ConfigError if it exists and must not be replaced (a folder that does not
/// look like an earlier export never is), if its parent folder is missing, or if the format does not have the
/// precision.
std::filesystem::path check_export(const ExportRequest& request);

/// Writes the model and its card. The files are written under another name, flushed to disk and renamed, so that an
/// interrupted export leaves nothing, or what was there before. Throws the errors of check_export, ConfigError, naming
/// what is not supported, if the format cannot hold the model, CheckpointError if the weights do not fit their
/// configuration, and RuntimeError if the disk refuses.
void export_model(const ModelToExport& model, const ExportRequest& request);

}  // namespace translate::tools
