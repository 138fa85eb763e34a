#pragma once

#include <filesystem>

#include "config/options.h"
#include "interop/import/huggingface_json.h"
#include "text/tokenizer.h"

namespace translate::tools {

/// The file with the search of a model of transformers, and the key of it under which translate-export keeps settings
/// that transformers does not have.
inline constexpr const char* kGenerationFile = "generation_config.json";
inline constexpr const char* kOwnKey = "translate";

/// Returns the search and the limits with which `generate` translates. `generation`: generation_config.json; `config`:
/// config.json, where older folders have the same keys. Throws CheckpointError naming file and key for a setting that
/// would change translations in a way that is not computed here, and for an unknown key of generation_config.json.
[[nodiscard]] DecodingOptions read_huggingface_decoding(const JsonValue& generation, const JsonValue& config);

/// Throws CheckpointError if config.json or generation_config.json disagrees with the vocabulary on a special subword,
/// or forbids subwords that can be generated here (suppress_tokens, bad_words_ids).
void check_huggingface_ids(const std::filesystem::path& folder, const SpecialTokens& special);

}  // namespace translate::tools
