#include "segments/carried_text.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <string>

#include "core/utf8.h"
#include "segments/characters.h"
#include "segments/technical_names.h"

namespace translate {

namespace {

/// A variation selector, a joiner and the like, which belong to the symbol before them.
bool is_ignorable(char32_t c) {
  return u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0;
}

/// True for a word that a translation keeps as it is.
bool is_carried(std::u32string_view word, const CharacterCoverage& coverage) {
  if (std::ranges::none_of(word, is_letter)) {
    return true;
  }
  const auto name = without_punctuation(word);
  if (is_technical_name(word) || is_technical_name(name)) {
    return true;
  }
  return std::ranges::none_of(word, [&](char32_t c) { return is_letter(c) && (c < 0x80 || coverage.has(c)); });
}

}  // namespace

bool has_nothing_to_translate(std::string_view text, const CharacterCoverage& coverage) {
  const auto characters = decode_utf8(text);
  for (auto at = characters.begin(); at != characters.end();) {
    const auto end = std::find_if(at, characters.end(), is_unicode_space);
    if (at != end && !is_carried(std::u32string_view(at, end), coverage)) {
      return false;
    }
    at = std::find_if_not(end, characters.end(), is_unicode_space);
  }
  return true;
}

namespace {

/// Returns how many of the characters are carried, from the first on.
template <typename Iterator>
Iterator end_of_carried(Iterator begin, Iterator end, const CharacterCoverage& coverage) {
  const auto lacks = [&](char32_t c) { return c >= 0x80 && !is_letter(c) && !coverage.has(c); };
  auto carried = begin;
  for (auto at = begin; at != end; ++at) {
    if (lacks(*at)) {
      carried = std::next(at);
    } else if (!is_unicode_space(*at) && !is_ignorable(*at)) {
      break;
    }
  }
  if (carried == begin) {
    return begin;
  }
  return std::find_if_not(carried, end, [](char32_t c) { return is_unicode_space(c) || is_ignorable(c); });
}

}  // namespace

CarriedEdges carried_edges(std::string_view text, const CharacterCoverage& coverage) {
  if (is_ascii(text)) {
    return {};
  }
  const auto characters = decode_utf8(text);
  const auto begin = end_of_carried(characters.begin(), characters.end(), coverage);
  const auto rest = std::u32string(begin, characters.end());
  const auto end = end_of_carried(rest.rbegin(), rest.rend(), coverage);
  return {.before = encode_utf8(std::u32string(characters.begin(), begin)).size(),
          .after = encode_utf8(std::u32string(end.base(), rest.end())).size()};
}

}  // namespace translate
