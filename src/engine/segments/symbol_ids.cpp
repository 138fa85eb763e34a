#include "segments/symbol_ids.h"

#include <algorithm>

namespace translate {

std::optional<std::vector<std::int64_t>> symbol_ids(const Tokenizer& tokenizer, std::span<const std::string> symbols) {
  std::vector<std::int64_t> ids;
  for (const auto& symbol : symbols) {
    const auto encoded = tokenizer.encode(symbol);  // a space may stand before it
    const auto own = std::ranges::find_if(encoded, [&](std::int64_t id) { return tokenizer.subword(id) == symbol; });
    if (own == encoded.end()) {
      return std::nullopt;
    }
    ids.push_back(*own);
  }
  return ids;
}

}  // namespace translate
