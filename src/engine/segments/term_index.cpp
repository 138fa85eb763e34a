#include "segments/term_index.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/utf8.h"
#include "segments/characters.h"
#include "text/word_characters.h"

namespace translate {

namespace {

/// True if no word of the text reaches across `place`.
bool is_word_boundary(std::string_view text, std::size_t place) {
  constexpr std::size_t kLongestCharacter = 4;
  const auto start = place - std::min(place, kLongestCharacter);
  const auto before = decode_utf8(text.substr(start, place - start));
  const auto after = decode_utf8(text.substr(place, kLongestCharacter));
  return before.empty() || after.empty() || !is_of_spaced_word(before.back()) || !is_of_spaced_word(after.front());
}

/// Returns one character in folded case; each character becomes one, so that places in a text can be told.
std::string folded_character(std::string_view character) {
  if (character.size() == 1) {
    return ascii_lower(character);
  }
  const auto decoded = decode_utf8(character).front();
  return encode_utf8(
      std::u32string(1, static_cast<char32_t>(u_foldCase(static_cast<UChar32>(decoded), U_FOLD_CASE_DEFAULT))));
}

std::string folded(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = next_character(text, at);
    result += folded_character(text.substr(at, end - at));
    at = end;
  }
  return result;
}

}  // namespace

bool is_of_spaced_word(char32_t character) {
  if (!is_word_character(character)) {
    return false;
  }
  UErrorCode status = U_ZERO_ERROR;
  const auto script = uscript_getScript(static_cast<UChar32>(character), &status);
  return U_FAILURE(status) != 0 || uscript_breaksBetweenLetters(script) == 0;
}

TermIndex::TermIndex(std::vector<Term> terms) {
  for (const auto& term : terms) {
    const auto text = trimmed(term.text);
    if (!text.empty()) {
      entries_.push_back({.key = folded(text),
                          .text = std::string(term.letters == Letters::kExact ? text : std::string_view()),
                          .number = term.number});
    }
  }
  const auto order = [](const Entry& entry) {
    return std::tuple(std::string_view(entry.key), entry.text.empty(), std::string_view(entry.text));
  };
  std::ranges::stable_sort(entries_, {}, order);
  const auto rest = std::ranges::unique(entries_, {}, order);
  entries_.erase(rest.begin(), rest.end());
}

/// Returns the entry that a part of a text matches; null: none. `first`: the entries from the first one whose key may
/// be that part, which has `size` bytes in folded case.
const TermIndex::Entry* TermIndex::matching(Entries::const_iterator first, Entries::const_iterator end,
                                            std::size_t size, std::string_view written, bool any_case) {
  const Entry* by_any_case = nullptr;
  for (; first != end && first->key.size() == size; ++first) {
    if (first->text.empty() || first->text == written) {
      return &*first;
    }
    by_any_case = any_case && by_any_case == nullptr ? &*first : by_any_case;
  }
  return by_any_case;
}

TermIndex::Match TermIndex::match(std::string_view text, std::size_t begin, bool any_case) const {
  Match found;
  if (entries_.empty() || !is_word_boundary(text, begin)) {
    return found;
  }
  auto first = entries_.begin();
  auto end = entries_.end();
  std::size_t size = 0;  // of the key so far
  for (auto at = begin; at < text.size() && first != end;) {
    const auto after = next_character(text, at);
    for (const char byte : folded_character(text.substr(at, after - at))) {
      const auto byte_there = [&](const Entry& entry) {
        return size < entry.key.size() ? static_cast<unsigned char>(entry.key[size]) : -1;
      };
      const auto range =
          std::ranges::equal_range(first, end, static_cast<int>(static_cast<unsigned char>(byte)), {}, byte_there);
      first = range.begin();
      end = range.end();
      ++size;
    }
    at = after;
    const auto* entry = matching(first, end, size, text.substr(begin, at - begin), any_case);
    if (entry != nullptr && is_word_boundary(text, at)) {
      found = {.length = at - begin, .number = entry->number};
    }
  }
  return found;
}

}  // namespace translate
