#include "segments/kept_terms.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <algorithm>
#include <functional>

#include "core/utf8.h"
#include "text/word_characters.h"

namespace translate {

namespace {

constexpr std::size_t kPrefix = 4;  // bytes of the key; shorter terms are their own key

/// True for letters of scripts that separate words by spaces.
bool is_of_spaced_word(char32_t c) {
  if (!is_word_character(c)) {
    return false;
  }
  UErrorCode status = U_ZERO_ERROR;
  const auto script = uscript_getScript(static_cast<UChar32>(c), &status);
  return U_FAILURE(status) != 0 || uscript_breaksBetweenLetters(script) == 0;
}

/// True if no word of the text reaches across `place`.
bool is_word_boundary(std::string_view text, std::size_t place) {
  constexpr std::size_t kLongestCharacter = 4;
  const auto start = place - std::min(place, kLongestCharacter);
  const auto before = decode_utf8(text.substr(start, place - start));
  const auto after = decode_utf8(text.substr(place, kLongestCharacter));
  return before.empty() || after.empty() || !is_of_spaced_word(before.back()) || !is_of_spaced_word(after.front());
}

}  // namespace

KeptTerms::KeptTerms(std::span<const std::string> terms) {
  for (std::string_view term : terms) {
    if (is_blank(term)) {
      continue;
    }
    term.remove_prefix(leading_space(term).size());
    term.remove_suffix(trailing_space(term).size());
    by_prefix_[std::string(term.substr(0, kPrefix))].emplace_back(term);
  }
  for (auto& [prefix, bucket] : by_prefix_) {
    std::ranges::sort(bucket, std::greater(), &std::string::size);
  }
}

std::size_t KeptTerms::match(std::string_view text, std::size_t begin) const {
  for (auto length = std::min(kPrefix, text.size() - begin); length > 0; --length) {
    const auto bucket = by_prefix_.find(std::string(text.substr(begin, length)));
    if (bucket == by_prefix_.end()) {
      continue;
    }
    const auto found = std::ranges::find_if(bucket->second, [&](const std::string& term) {
      return text.substr(begin).starts_with(term) && is_word_boundary(text, begin) &&
             is_word_boundary(text, begin + term.size());
    });
    if (found != bucket->second.end()) {
      return found->size();
    }
  }
  return 0;
}

}  // namespace translate
