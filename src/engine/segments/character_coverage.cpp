#include "segments/character_coverage.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/utf8.h"

namespace translate {

namespace {

/// True for a subword such as <0x41>, a single byte of a character.
bool is_byte(std::string_view subword) {
  return subword.size() == 6 && subword.starts_with("<0x") && subword.ends_with('>');
}

}  // namespace

bool CharacterCoverage::has(char32_t character) const {
  const std::scoped_lock lock(mutex_);
  const auto [place, is_new] = known_.try_emplace(character, false);
  if (is_new) {
    place->second = find(character);
  }
  return place->second;
}

bool CharacterCoverage::find(char32_t character) const {
  const auto text = encode_utf8(std::u32string(1, character));
  if (!tokenizer_.is_word_level()) {
    return std::ranges::none_of(tokenizer_.encode(text), [&](std::int64_t id) {
      return id == tokenizer_.special_tokens().unk || is_byte(tokenizer_.subword(id));
    });
  }
  for (std::int64_t id = 0; id < tokenizer_.vocab_size(); ++id) {
    if (tokenizer_.subword(id).find(text) != std::string::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace translate
