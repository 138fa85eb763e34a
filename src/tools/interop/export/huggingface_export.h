#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "interop/export/model_to_export.h"

namespace translate::tools {

/// Returns the config.json of a model for transformers. Throws as huggingface_class does.
[[nodiscard]] nlohmann::ordered_json huggingface_config(const ModelToExport& model);

/// Returns the generation_config.json: the search of the model's configuration, as far as `generate` has it. Its length
/// penalty is length^alpha, this project's `average`; for `gnmt` the same alpha is written, which is not the same
/// (the card and a message say so). What it lacks is under a key of its own, which read_huggingface_decoding knows.
[[nodiscard]] nlohmann::ordered_json generation_config(const ModelToExport& model);

/// Writes a folder with which transformers can translate: model.safetensors, config.json, generation_config.json, the
/// tokenizers' files and the card. Logs what is different there. Throws ConfigError, naming what is not supported, if
/// transformers cannot hold the model, CheckpointError if the weights do not fit it, RuntimeError if the disk refuses.
void export_huggingface(const ModelToExport& model, const std::filesystem::path& folder);

}  // namespace translate::tools
