#include "translate/metrics/tokenize_intl.h"

#include "translate/core/utf8.h"
#include "translate/metrics/separate_pairs.h"
#include "translate/metrics/unicode_text.h"
#include "translate/metrics/words.h"

namespace translate {

std::vector<std::string> tokenize_intl(std::string_view line) {
  std::u32string text = separate_pairs(
      decode_utf8(line), [](char32_t a, char32_t b) { return !is_unicode_number(a) && is_unicode_punctuation(b); },
      {.behind = true});
  text = separate_pairs(text, [](char32_t a, char32_t b) { return is_unicode_punctuation(a) && !is_unicode_number(b); },
                        {.before = true});
  std::u32string separated;
  separated.reserve(2 * text.size());
  for (const char32_t code_point : text) {
    if (is_unicode_symbol(code_point)) {
      separated.append({U' ', code_point, U' '});
    } else {
      separated.push_back(code_point);
    }
  }
  const std::string spaced = encode_utf8(separated);
  const std::vector<std::string_view> tokens = split_at_spaces(spaced);
  return {tokens.begin(), tokens.end()};
}

}  // namespace translate
