#include "text/uncovered_text.h"

#include <algorithm>
#include <sstream>

#include "core/utf8.h"

namespace translate {

bool UncoveredText::is_unknown(std::string_view text) const {
  return std::ranges::count(tokenizer_.encode(text), tokenizer_.special_tokens().unk) > 0;
}

std::size_t UncoveredText::count(std::string_view text, std::vector<std::string>& uncovered) const {
  const auto ids = tokenizer_.encode(text);
  if (std::ranges::count(ids, tokenizer_.special_tokens().unk) == 0) {
    return ids.size();
  }
  if (tokenizer_.is_word_level()) {
    std::istringstream words{std::string(text)};
    for (std::string word; words >> word;) {
      if (is_unknown(word)) {
        uncovered.push_back(word);
      }
    }
    return ids.size();
  }
  auto characters = decode_utf8(text);
  std::ranges::sort(characters);  // a repeated one is looked up once
  for (std::size_t i = 0; i < characters.size();) {
    const auto end = characters.find_first_not_of(characters[i], i);
    const auto times = std::min(end, characters.size()) - i;
    const auto character = encode_utf8(characters.substr(i, 1));
    if (is_unknown(character)) {
      uncovered.insert(uncovered.end(), times, character);
    }
    i += times;
  }
  return ids.size();
}

}  // namespace translate
