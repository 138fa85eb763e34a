#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "translate/text/special_tokens.h"

namespace translate {

/// What a word-level tokenizer's JSON file says.
struct WordLevelFile {
  std::vector<std::string> words;                ///< by id
  SpecialTokens special;                         ///< unk is model.unk_token, pad, sos, eos are [PAD], [SOS], [EOS]
  std::unordered_set<std::int64_t> special_ids;  ///< these four, and what added_tokens calls special
  bool splits_punctuation = true;                ///< pre_tokenizer Whitespace; false: WhitespaceSplit
};

/// Reads the JSON file of a word-level tokenizer as the Hugging Face `tokenizers` package writes it, format 1.0: a
/// `WordLevel` model behind the pre_tokenizer `Whitespace` or `WhitespaceSplit`, its ids 0 to n - 1, and nothing that
/// would change text, ids or result further (normalizer, post_processor, decoder, truncation, padding: null).
/// Throws DataError naming `origin`, the key, what was expected and what came.
[[nodiscard]] WordLevelFile parse_word_level_file(std::string_view json, const std::string& origin);

}  // namespace translate
