#pragma once

#include <cstdint>
#include <filesystem>

#include "interop/export/ctranslate2_file.h"
#include "interop/export/model_to_export.h"

namespace translate::tools {

/// The fewest positions in the table of an exported model with sinusoids. CTranslate2 reads positions from a table,
/// and cuts sources off after 1024 subwords unless it is told otherwise.
inline constexpr std::int64_t kCTranslate2Positions = 2048;

/// Returns the variables of CTranslate2's TransformerSpec, revision 7. Tied weights are stored once, under the
/// alphabetically first of their names. With kInt8, each matrix and table of subwords has 8 bits a number and a factor
/// `weight_scale` for each row: 127 / the row's largest magnitude. Throws ConfigError if the format cannot hold the
/// model (see check_decoder and check_norm), CheckpointError if the weights do not fit it.
[[nodiscard]] CTranslate2Model ctranslate2_model(const ModelToExport& model, StoredPrecision precision);

/// Writes the files of a CTranslate2 model into `folder`: model.bin, config.json, and the vocabulary, one file if both
/// sides share it. Throws as ctranslate2_model, ConfigError if the special subwords of both sides have different names,
/// and RuntimeError if the disk refuses.
void write_ctranslate2(const ModelToExport& model, StoredPrecision precision, const std::filesystem::path& folder);

/// Writes a folder with which others can translate: the files of write_ctranslate2, both tokenizers (source.spm and
/// target.spm, or .json for word-level ones), which CTranslate2 itself does not read, and the card. Throws the same.
void export_ctranslate2(const ModelToExport& model, StoredPrecision precision, const std::filesystem::path& folder);

}  // namespace translate::tools
