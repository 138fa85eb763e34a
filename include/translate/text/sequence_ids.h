#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "translate/text/tokenizer.h"

namespace translate {

/// sos + pieces + eos: the input of the encoder. `special` is the source tokenizer's.
[[nodiscard]] std::vector<std::int64_t> encoder_input_ids(std::span<const std::int32_t> pieces,
                                                          const SpecialTokens& special);

/// The same from text, by the source tokenizer: the one way in training, evaluation and inference.
[[nodiscard]] std::vector<std::int64_t> encoder_input_ids(const Tokenizer& tokenizer, std::string_view text);

/// sos + pieces: what the decoder reads (the label shifted right). `special` is the target tokenizer's.
[[nodiscard]] std::vector<std::int64_t> decoder_input_ids(std::span<const std::int32_t> pieces,
                                                          const SpecialTokens& special);

/// pieces + eos: what the decoder is to say. `special` is the target tokenizer's.
[[nodiscard]] std::vector<std::int64_t> label_ids(std::span<const std::int32_t> pieces, const SpecialTokens& special);

/// Piece ids in the half as wide form that corpora are kept in.
[[nodiscard]] std::vector<std::int32_t> compact_ids(std::span<const std::int64_t> ids);

}  // namespace translate
