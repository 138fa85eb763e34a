#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "text/tokenizer.h"

namespace translate {

/// Returns the ids of symbols in a vocabulary, in their order; nothing unless it has each of them as a subword.
[[nodiscard]] std::optional<std::vector<std::int64_t>> symbol_ids(const Tokenizer& tokenizer,
                                                                  std::span<const std::string> symbols);

/// Returns their ids in the target's vocabulary if both vocabularies have each of them; otherwise none.
[[nodiscard]] std::vector<std::int64_t> common_symbol_ids(const Tokenizer& source, const Tokenizer& target,
                                                          std::span<const std::string> symbols);

}  // namespace translate
