#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "checkpoint/loaded_model.h"
#include "config/options.h"
#include "core/output_file.h"

namespace translate {

/// Writes a checkpoint's configuration and tokenizers (the content of their files) into `folder`, flushes them to disk,
/// and adds their digests to `files`. Throws RuntimeError.
void write_configuration(const std::filesystem::path& folder, const Config& config, const std::string& source_tokenizer,
                         const std::string& target_tokenizer, std::map<std::string, FileDigest>& files);

/// Writes a checkpoint of step 0 without a training state, as a whole or not at all: a folder that exists is replaced.
/// Its weights are in single precision, and its card (model_card.h) has the
/// name of the folder. Throws RuntimeError with the path and the reason, and CheckpointError if the
/// weights cannot be read or are not finite.
void write_model_checkpoint(const std::filesystem::path& folder, const LoadedModel& model);

}  // namespace translate
