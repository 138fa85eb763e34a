#pragma once

#include <span>
#include <string>
#include <vector>

#include "translate/config/options.h"
#include "translate/text/tokenizer.h"

namespace translate {

/// SentencePiece's names: "bpe", "unigram", "word", "char"; "nmt_nfkc", "nfkc", "identity".
[[nodiscard]] std::string sentencepiece_name(TokenizerType type);
[[nodiscard]] std::string sentencepiece_name(Normalization normalization);

/// Trains a SentencePiece model on sentences in memory (`texts` one after the other). Ids: unk 0, sos 1, eos 2, pad 3,
/// then bytes where byte_fallback is on. The same text and options always give the same model.
///
/// Where the text gives fewer than options.vocab_size pieces, all that it gives are taken, with a warning. `identity`
/// normalisation keeps every space; the others drop leading, trailing and repeated ones.
/// SentencePiece runs in a child process (see in_child_process). Throws DataError where there is no text, ConfigError
/// where vocab_size cannot hold the text's characters, RuntimeError where memory runs out.
[[nodiscard]] Tokenizer train_tokenizer(const TokenizerOptions& options,
                                        const std::vector<std::span<const std::string>>& texts);

}  // namespace translate
