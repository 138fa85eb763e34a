#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace translate {

/// A replacement of one run of subword ids by another.
struct IdRewrite {
  std::vector<int> from;  ///< the run to look for; not empty
  std::vector<int> to;    ///< its replacement
};

/// `ids` with every run of a rewrite replaced, from left to right; if several match, the first one listed wins.
[[nodiscard]] std::vector<std::int64_t> rewrite_ids(std::span<const int> ids, std::span<const IdRewrite> rewrites);

/// Returns `text` with every `from` (not empty) replaced by `to`.
[[nodiscard]] std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

/// The first character of the private-use plane U+F0000..U+FFFFD, in UTF-8, for which `is_taken` is false. Throws
/// DataError if all are taken.
[[nodiscard]] std::string first_free_character(const std::function<bool(std::string_view)>& is_taken);

/// sos + subwords + eos: the input of the encoder. `special` is the source tokenizer's.
[[nodiscard]] std::vector<std::int64_t> encoder_input_ids(std::span<const std::int32_t> subwords,
                                                          const SpecialTokens& special);

/// The same from text, by the source tokenizer; used in training, evaluation and inference alike.
[[nodiscard]] std::vector<std::int64_t> encoder_input_ids(const Tokenizer& tokenizer, std::string_view text);

/// sos + subwords: the decoder's input (the label shifted right). `special` is the target tokenizer's.
[[nodiscard]] std::vector<std::int64_t> decoder_input_ids(std::span<const std::int32_t> subwords,
                                                          const SpecialTokens& special);

/// subwords + eos: the decoder's label. `special` is the target tokenizer's.
[[nodiscard]] std::vector<std::int64_t> label_ids(std::span<const std::int32_t> subwords, const SpecialTokens& special);

/// Subword ids as 32-bit integers, as corpora store them.
[[nodiscard]] std::vector<std::int32_t> compact_ids(std::span<const std::int64_t> ids);

}  // namespace translate
