#pragma once

#include <string>
#include <vector>

#include "interop/marian/marian_files.h"
#include "text/tokenizer.h"

namespace translate::tools {

/// The SentencePiece models beside vocabularies that are none themselves.
inline constexpr const char* kMarianSourceModel = "source.spm";
inline constexpr const char* kMarianTargetModel = "target.spm";

/// Loads a side's tokenizer. `vocabulary`: a SentencePiece model, whose own ids count, or a .yml file of ids, beside
/// which `model` cuts the text. "<pad>", which Marian does not have, becomes the last subword. Throws CheckpointError
/// if a file is missing or damaged.
[[nodiscard]] Tokenizer load_marian_tokenizer(const MarianFiles& files, const std::string& vocabulary,
                                              const std::string& model);

/// A side's subwords as Marian has them.
struct MarianVocabulary {
  std::vector<std::string> subwords;  ///< by id, without the padding at the end
  std::string model;                  ///< the SentencePiece model
  bool is_of_model = false;           ///< the subwords and ids are the model's own, so that it can be the vocabulary
};

/// Returns the vocabulary of a SentencePiece tokenizer, the reverse of load_marian_tokenizer.
[[nodiscard]] MarianVocabulary marian_vocabulary(const Tokenizer& tokenizer);

}  // namespace translate::tools
