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

namespace translate {

namespace fs = std::filesystem;

namespace {

/// The output without a slash at its end.
fs::path named(const fs::path& output) {
  const auto path = output.lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

/// Whether a folder is empty or has the files of an export, and so can be replaced.
bool is_export(const fs::path& folder) {
  std::error_code ignored;
  const auto has = [&](const char* file) { return fs::exists(folder / file, ignored); };
  return fs::is_empty(folder, ignored) ||
         (has("config.json") && has("README.md") && (has("model.bin") || has("generation_config.json")));
}

void check_place(const ExportRequest& request, const fs::path& output) {
  std::error_code ignored;
  if (output.has_parent_path() && !fs::is_directory(output.parent_path(), ignored)) {
    throw ConfigError(fmt::format("{}: there is no such folder; create it first", output.parent_path().string()));
  }
  if (!fs::exists(fs::symlink_status(output, ignored))) return;
  if (!request.replace) {
    throw ConfigError(
        fmt::format("{} exists already: choose another name, or replace it with --force", output.string()));
  }
  const bool fits = request.format == ExportFormat::kArgos
                        ? fs::is_regular_file(output, ignored)
                        : fs::is_directory(fs::symlink_status(output, ignored)) && is_export(output);
  if (!fits) {
    throw ConfigError(fmt::format("{} is not an earlier export, so --force does not replace it; choose another name",
                                  output.string()));
  }
}

}  // namespace

void check_export(const ExportRequest& request) {
  const auto output = named(request.output);
  if (!output.has_filename()) {
    throw ConfigError(fmt::format("\"{}\" is not the name of an output", request.output.string()));
  }
  if (request.format == ExportFormat::kHuggingFace && request.precision != StoredPrecision::kFp32) {
    throw ConfigError(
        fmt::format("--precision {} is not supported by --format huggingface: its weights are fp32; "
                    "transformers quantizes them when it loads them",
                    to_string(request.precision)));
  }
  if (request.format == ExportFormat::kArgos && output.extension() != ".argosmodel") {
    throw ConfigError(fmt::format("{}: the name of a package of Argos ends in .argosmodel", request.output.string()));
  }
  check_place(request, output);
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
  check_export(request);
  const auto output = named(request.output);
  if (request.format == ExportFormat::kArgos) {
    return export_package(model, request.precision, output);
  }
  const UnfinishedFolder folder(output);
  if (request.format == ExportFormat::kHuggingFace) {
    export_huggingface(model, folder.path());
  } else {
    export_ctranslate2(model, request.precision, folder.path());
  }
  folder.finish();
}

}  // namespace translate
