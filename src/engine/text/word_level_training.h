#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/options.h"

namespace translate {

/// Trains a word-level tokenizer as the Hugging Face `tokenizers` package does (`WordLevelTrainer` behind the
/// pre-tokenizer `Whitespace`, or `WhitespaceSplit` with options.pretokenized), and returns the bytes of its JSON file,
/// which are those that the package writes.
///
/// Ids: [UNK] 0, [PAD] 1, [SOS] 2, [EOS] 3, then `tags`, then the words of `texts` that occur options.min_frequency
/// times or more: the most frequent ones first, equally frequent ones in the order of their bytes, until the vocabulary
/// has options.vocab_size entries. Throws ConfigError if no word of the text is frequent enough.
[[nodiscard]] std::string train_word_level(const TokenizerOptions& options,
                                           const std::vector<std::span<const std::string>>& texts,
                                           const std::vector<std::string>& tags);

}  // namespace translate
