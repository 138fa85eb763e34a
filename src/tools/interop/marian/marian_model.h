#pragma once

#include <filesystem>

#include "checkpoint/loaded_model.h"

namespace translate::tools {

/// Opens a Marian model: a folder or zip archive with decoder.yml, an .npz or .bin file of weights, and vocabularies:
/// .yml files beside source.spm and target.spm, as OPUS-MT publishes them, or .spm files. Or a folder of Firefox, whose
/// files are known by their names (firefox_folder.h). A shortlist is checked and not used.
///
/// Marian's decoder starts with a zero vector and has no padding: "<pad>" is added to the vocabularies as their last
/// subword and stands for both, with an embedding of zeros and a bias so low that its probability is zero. Positions
/// and norms are Marian's own (ModelOptions::sinusoid_frequencies, an epsilon of 1e-6). Throws CheckpointError naming
/// the file, and the key or the parameter, for what is missing, damaged or not supported.
[[nodiscard]] LoadedModel open_marian_model(const std::filesystem::path& path);

}  // namespace translate::tools
