#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/safetensors.h"

namespace translate::tools {

/// The content of CTranslate2's model.bin.
struct CTranslate2Model {
  std::string spec;       ///< the kind of model: "TransformerSpec"
  int revision = 0;       ///< of the kind's variables
  NamedArrays variables;  ///< of floats, or of whole numbers of 8, 16 or 32 bits; scalars have no dimensions
  std::vector<std::pair<std::string, std::string>> aliases;  ///< names of variables that share another's values
};

/// Writes the file (version 6 of the format, little-endian), variables and aliases sorted by name, and flushes it to
/// disk. Throws RuntimeError if the disk refuses, ConfigError if a variable is larger than the format allows (4 GiB),
/// CheckpointError if a name is given twice.
void write_ctranslate2_file(const std::filesystem::path& path, CTranslate2Model model);

}  // namespace translate::tools
