#include "text/word_subwords.h"

#include <algorithm>

#include "core/utf8.h"

namespace translate {

std::optional<std::vector<std::int64_t>> words_of_subwords(const Tokenizer& tokenizer, std::string_view text,
                                                           std::span<const std::int64_t> subwords) {
  std::vector<std::int64_t> words;
  std::int64_t word = 0;
  for (auto rest = text.substr(leading_space(text).size()); !rest.empty(); ++word) {
    std::size_t end = 0;
    while (end < rest.size() && leading_space(rest.substr(end)).empty()) {
      ++end;
    }
    const auto of_word = tokenizer.encode(rest.substr(0, end));
    const auto expected = subwords.subspan(words.size());
    if (of_word.size() > expected.size() || !std::ranges::equal(of_word, expected.first(of_word.size()))) {
      return std::nullopt;
    }
    words.insert(words.end(), of_word.size(), word);
    rest.remove_prefix(end + leading_space(rest.substr(end)).size());
  }
  return words.size() == subwords.size() ? std::optional(std::move(words)) : std::nullopt;
}

}  // namespace translate
