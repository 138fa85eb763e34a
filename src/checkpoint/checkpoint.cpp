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

bool Checkpoint::has_training_state() const { return manifest_.files.contains(kTrainingCountersFile); }

}  // namespace translate
