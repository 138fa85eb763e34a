#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace translate {

/// Returns, for each of `subwords`, the result of encoding `text` (valid UTF-8), the word of it to which it belongs;
/// white space separates words, which count from 0. Nothing if encoding word by word gives other subwords.
[[nodiscard]] std::optional<std::vector<std::int64_t>> words_of_subwords(const Tokenizer& tokenizer,
                                                                         std::string_view text,
                                                                         std::span<const std::int64_t> subwords);

}  // namespace translate
