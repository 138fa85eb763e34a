#pragma once

#include <filesystem>
#include <string>

#include "config/options.h"
#include "interop/export/model_to_export.h"

namespace translate::tools {

/// Throws ConfigError, naming what is not supported and what could be done, unless Marian computes the model: its
/// decoder starts with a zero vector, its sources have no sos, and its positions, norms and activations are Marian's.
void check_marian(const ModelToExport& model);

/// Returns a model's settings as Marian stores them beside the weights ("special:model.yml"). `source` and `target`:
/// the numbers of subwords.
[[nodiscard]] std::string marian_settings(const ModelOptions& options, std::size_t source, std::size_t target);

/// Writes a folder with which marian-decoder can translate: model.npz, decoder.yml, the vocabularies and the card.
/// Vocabularies are the SentencePiece models themselves, vocab.spm or one for each side; if their ids are not those of
/// the model, .yml files beside source.spm and target.spm, as OPUS-MT has them. Throws as check_marian, CheckpointError
/// if the weights do not fit the model, RuntimeError if the disk refuses or libzip is not installed.
void export_marian(const ModelToExport& model, const std::filesystem::path& folder);

}  // namespace translate::tools
