#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/options.h"

namespace translate::tools {

/// The settings of decoder.yml, with which marian-decoder translates.
struct MarianDecoder {
  std::string model;                      ///< the .npz or .bin file
  std::vector<std::string> vocabularies;  ///< of the source and of the target: .yml, or .spm
  std::string shortlist;                  ///< a binary lexical shortlist; or empty
  DecodingOptions decoding;               ///< beam, length normalisation and limits
};

/// The default of Marian's max-length.
inline constexpr std::int64_t kMarianMaxLength = 1000;

/// Reads decoder.yml. Throws CheckpointError with `file` for a key that is missing, damaged or not supported, such as
/// several models.
[[nodiscard]] MarianDecoder read_marian_decoder(const std::string& yaml, const std::string& file);

/// Reads a model's own settings ("special:model.yml" in its .npz). Throws CheckpointError with `file` and the key for
/// a model that is not a Transformer or has parts that are not supported. `name`: of the model, which tells whether
/// OPUS-MT has trained it with guided alignment.
[[nodiscard]] ModelOptions read_marian_options(const std::string& yaml, const std::string& file,
                                               const std::string& name = {});

/// Reads a vocabulary, `subword: id` in YAML, with the ids 0 to n - 1, and returns the subwords by id. Throws
/// CheckpointError with `file`.
[[nodiscard]] std::vector<std::string> read_marian_vocabulary(const std::string& yaml, const std::string& file);

}  // namespace translate::tools
