#pragma once

#include <filesystem>
#include <functional>

#include "checkpoint/loaded_model.h"
#include "checkpoint/safetensors.h"
#include "config/options.h"

namespace translate::tools {

/// Reads all tensors of a file of weights (safetensors, or torch.save) under the names that they have in it.
using ReadWeights = std::function<NamedArrays(const std::filesystem::path&)>;

/// Tells whether a path is a folder that transformers saved: with a config.json that has a "model_type". One that
/// cannot be read counts beside the other files of such a model, because it is worth its own error message.
[[nodiscard]] bool is_huggingface_model(const std::filesystem::path& path);

/// Returns the configuration of a MarianMT model, from config.json, generation_config.json (or, in older folders, the
/// same keys in config.json) and tokenizer_config.json: shape, tokenizer files, languages, and the search and limits
/// with which `generate` translates. Throws CheckpointError naming the file and the key: another model type, something
/// that MarianMT in transformers does not compute or this program does not (normalize_before, normalize_embedding,
/// add_final_layer_norm, learned positions, unequal heads or inner widths), or damage.
[[nodiscard]] Config read_huggingface_config(const std::filesystem::path& folder);

/// Opens a MarianMT model: the configuration above, model.safetensors or pytorch_model.bin, and the tokenizers of
/// source.spm, target.spm, vocab.json and, with two vocabularies, target_vocab.json. A start token whose embedding is
/// zero sets model.zero_start; positions in the file that are not sinusoids become learned ones. Throws CheckpointError
/// if weights are missing, left over, damaged or of another shape, DataError if tokenizers are.
[[nodiscard]] LoadedModel open_huggingface_model(const std::filesystem::path& folder, const ReadWeights& read);

}  // namespace translate::tools
