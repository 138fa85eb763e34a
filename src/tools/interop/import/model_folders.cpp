#include "interop/import/model_folders.h"

#include "checkpoint/manifest.h"
#include "config/json.h"
#include "core/error.h"
#include "core/regular_file.h"

namespace translate {

namespace {

namespace fs = std::filesystem;

/// Whether a folder holds a model that transformers saved. A config.json that cannot be read counts beside the other
/// files of such a model, because it is worth its own error message.
bool is_huggingface_folder(const fs::path& folder) {
  std::error_code ignored;
  const auto file = folder / kConfigFile;
  if (!fs::exists(file, ignored) || fs::exists(folder / kManifestFile, ignored)) {
    return false;
  }
  try {
    return parse_json_object(read_regular_file(file), file).contains("model_type");
  } catch (const Error&) {
    return fs::exists(folder / "source.spm", ignored) && fs::exists(folder / "vocab.json", ignored);
  }
}

}  // namespace

ForeignModel foreign_model(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    return path.extension() == ".zip" && fs::exists(path, ignored) ? ForeignModel::kMarian : ForeignModel::kNone;
  }
  if (fs::exists(path / kMarianDecoderFile, ignored)) {
    return ForeignModel::kMarian;
  }
  return is_huggingface_folder(path) ? ForeignModel::kHuggingFace : ForeignModel::kNone;
}

}  // namespace translate
