#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "interop/export/model_to_export.h"
#include "text/tokenizer.h"

namespace translate::tools {

/// The tokenizers in a folder for transformers.
enum class ExportedTokenizers {
  kMarian,  ///< MarianTokenizer: both SentencePiece models themselves, for sources without sos
  kOne,     ///< tokenizer.json, which serves both sides
  kTwo      ///< tokenizer.json for the source, and that of the target in the folder kTargetFolder
};

/// The folder of the target's tokenizer.
inline constexpr const char* kTargetFolder = "target";

/// Returns how a model's tokenizers are written. Throws ConfigError, naming what is not supported, if transformers
/// cannot tokenize as the model needs it.
[[nodiscard]] ExportedTokenizers exported_tokenizers(const ModelToExport& model);

/// Returns the tokenizer.json of the package `tokenizers` that gives the ids of `tokenizer` between sos (unless
/// special_tokens().source_sos is false) and eos, and decodes ids as it does. Throws ConfigError as
/// exported_tokenizers.
///
/// A bpe model has a merge for each way to make a subword of two others, in the order of the scores, and no merge
/// across its normalisation's spaces; a unigram model has the scores themselves; a char model is bpe without merges.
/// The rules of normalisation are SentencePiece's own table. What differs: `tokenizers` applies the table to what
/// people see as one character before it applies it to code points, which gives other text for some rare sequences
/// (Hangul written in single letters).
[[nodiscard]] nlohmann::json tokenizer_json(const Tokenizer& tokenizer);

/// Writes the files of exported_tokenizers into `folder`. `max_length`: the number of subwords that a source may have.
/// Throws ConfigError, and RuntimeError if the disk refuses.
void write_huggingface_tokenizers(const ModelToExport& model, std::int64_t max_length,
                                  const std::filesystem::path& folder);

}  // namespace translate::tools
