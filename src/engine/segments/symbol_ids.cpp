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

std::vector<std::int64_t> common_symbol_ids(const Tokenizer& source, const Tokenizer& target,
                                            std::span<const std::string> symbols) {
  return symbol_ids(source, symbols) ? symbol_ids(target, symbols).value_or(std::vector<std::int64_t>())
                                     : std::vector<std::int64_t>();
}

}  // namespace translate
