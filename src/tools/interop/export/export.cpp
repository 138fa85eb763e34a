#include "interop/export/export.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "core/error.h"
#include "core/file.h"
#include "core/unfinished_folder.h"
#include "interop/export/argos_export.h"
#include "interop/export/ctranslate2_export.h"
#include "interop/export/huggingface_export.h"
#include "interop/export/marian_export.h"
#include "interop/marian/marian_files.h"

namespace translate::tools {

namespace fs = std::filesystem;

namespace {

/// Whether a folder is empty or has the files of an export, and so can be replaced.
bool is_export(const fs::path& folder) {
  std::error_code ignored;
  const auto has = [&](const char* file) { return fs::exists(folder / file, ignored); };
  return fs::is_empty(folder, ignored) ||
         (has("config.json") && has("README.md") && (has("model.bin") || has("generation_config.json"))) ||
         (has(kMarianDecoderFile) && has("README.md") && has("model.npz"));
}

/// Whether an output may be replaced. A link to a folder is not an export.
bool is_earlier_output(ExportFormat format, const fs::path& output) {
  std::error_code ignored;
  if (format == ExportFormat::kArgos) {
    return fs::is_regular_file(output, ignored) && is_argos_export(output);
  }
  return fs::is_directory(fs::symlink_status(output, ignored)) && is_export(output);
}

}  // namespace

fs::path check_export(const ExportRequest& request) {
  if (request.format == ExportFormat::kHuggingFace && request.precision != StoredPrecision::kFp32) {
    throw ConfigError(
        fmt::format("--precision {} is not supported by --format huggingface: its weights are fp32; "
                    "transformers quantizes them when it loads them",
                    to_string(request.precision)));
  }
  if (request.format == ExportFormat::kMarian && request.precision != StoredPrecision::kFp32) {
    throw ConfigError(
        fmt::format("--precision {} is not supported by --format marian: its weights are fp32; marian-conv quantizes "
                    "them",
                    to_string(request.precision)));
  }
  if (request.format == ExportFormat::kArgos && normalized_path(request.output).extension() != ".argosmodel") {
    throw ConfigError(fmt::format("{}: the name of a package of Argos ends in .argosmodel", request.output.string()));
  }
  return checked_output(request.output, request.replace,
                        {.name = "an earlier export",
                         .matches = [&](const fs::path& path) { return is_earlier_output(request.format, path); }});
}

namespace {

/// Writes the package beside its place, then moves it there.
void export_package(const ModelToExport& model, StoredPrecision precision, const fs::path& output) {
  const UnfinishedFolder workplace(output);
  const auto archive = workplace.path() / output.filename();
  export_argos(model, precision, workplace.path(), archive);
  move_into_place(archive, output);
}

}  // namespace

void export_model(const ModelToExport& model, const ExportRequest& request) {
  const auto output = check_export(request);
  if (request.format == ExportFormat::kArgos) {
    return export_package(model, request.precision, output);
  }
  const UnfinishedFolder folder(output);
  if (request.format == ExportFormat::kHuggingFace) {
    export_huggingface(model, folder.path());
  } else if (request.format == ExportFormat::kMarian) {
    export_marian(model, folder.path());
  } else {
    export_ctranslate2(model, request.precision, folder.path());
  }
  folder.finish();
}

}  // namespace translate::tools
