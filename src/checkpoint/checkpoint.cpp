#include "translate/checkpoint/checkpoint.h"

#include <fmt/format.h>

#include "translate/config/config_file.h"
#include "translate/core/error.h"
#include "translate/core/file.h"

namespace translate {

namespace fs = std::filesystem;

Checkpoint::Checkpoint(const fs::path& folder, Verify verify) : folder_(folder), manifest_(read_manifest(folder)) {
  verify_files(folder_, manifest_, verify);
}

NamedArrays Checkpoint::weights() const { return SafetensorsFile(folder_ / kModelFile).arrays(); }

Config Checkpoint::config() const {
  const fs::path file = folder_ / kConfigFile;
  try {
    return config_from_json_text(read_file(file), file.string(), folder_);
  } catch (const ConfigError& error) {
    // Not the user's mistake: a program wrote it.
    throw CheckpointError(
        fmt::format("{} (a checkpoint's configuration: damaged, or of another version)", error.what()));
  }
}

fs::path Checkpoint::source_tokenizer() const { return folder_ / tokenizer_file(manifest_, kSourceTokenizer); }

fs::path Checkpoint::target_tokenizer() const { return folder_ / tokenizer_file(manifest_, kTargetTokenizer); }

std::optional<TextSums> Checkpoint::text_sums() const {
  const fs::path file = folder_ / kTextSumsFile;
  std::error_code ignored;
  if (!manifest_.files.contains(kTextSumsFile) || !fs::exists(file, ignored)) return std::nullopt;
  try {
    return text_sums_from_json(read_file(file), file.string());
  } catch (const DataError& error) {
    throw CheckpointError(error.what());  // not the user's mistake: a program wrote it
  }
}

fs::path Checkpoint::run_folder() const {
  auto folder = fs::absolute(folder_).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();  // given with a slash at its end
  const auto checkpoints = folder.parent_path();
  return checkpoints.filename() == kCheckpointsFolder ? checkpoints.parent_path() : fs::path();
}

bool Checkpoint::has_training_state() const { return manifest_.files.contains(kTrainingCountersFile); }

}  // namespace translate
