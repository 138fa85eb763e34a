#include "interop/export/export.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "core/error.h"
#include "core/unfinished_folder.h"
#include "interop/export/ctranslate2_export.h"

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
  check_place(request, output);
}

void export_model(const ModelToExport& model, const ExportRequest& request) {
  check_export(request);
  const UnfinishedFolder folder(named(request.output));
  export_ctranslate2(model, request.precision, folder.path());
  folder.finish();
}

}  // namespace translate
