#include "segments/letter_case.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>

#include <algorithm>

#include "core/utf8.h"
#include "segments/characters.h"

namespace translate {

namespace {

constexpr std::ptrdiff_t kShortWord = 4;  // letters: fewer make a short word

bool is_lower(char32_t c) { return u_isULowercase(static_cast<UChar32>(c)) != 0; }

/// Calls visit(word) for each word of a text, which white space and hyphens separate.
template <typename Visit>
void for_each_word(std::u32string& text, const Visit& visit) {
  const auto ends_word = [](char32_t c) { return is_unicode_space(c) || c == U'-'; };
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if(at, text.end(), is_letter);
    const auto end = std::find_if(begin, text.end(), ends_word);
    if (begin != end) {
      visit(begin, end);
    }
    at = end;
  }
}

/// Returns a text as convert(text, sink, status) writes it, one of ICU's functions; the text itself if that fails.
template <typename Convert>
std::string converted(std::string_view text, const Convert& convert) {
  std::string result;
  UErrorCode status = U_ZERO_ERROR;
  icu::StringByteSink<std::string> sink(&result);
  convert(icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())), sink, status);
  return U_SUCCESS(status) != 0 ? result : std::string(text);
}

std::string upper_case(std::string_view text, const std::string& language) {
  return converted(text, [&](const icu::StringPiece& given, icu::ByteSink& sink, UErrorCode& status) {
    icu::CaseMap::utf8ToUpper(language.c_str(), 0, given, sink, nullptr, status);
  });
}

}  // namespace

std::string capitalized(std::string_view text, const std::string& language) {
  const auto characters = decode_utf8(text);
  const auto letter = std::ranges::find_if(characters, is_letter);
  if (letter == characters.end()) {
    return std::string(text);
  }
  return encode_utf8(std::u32string(characters.begin(), letter)) +
         upper_case(encode_utf8(std::u32string(1, *letter)), language) +
         encode_utf8(std::u32string(letter + 1, characters.end()));
}

LetterCase letter_case_of(std::string_view text) {
  auto characters = decode_utf8(text);
  const auto upper = std::ranges::count_if(characters, is_capital);
  if (upper < 3) {
    return LetterCase::kMixed;
  }
  if (upper >= kShortWord && std::ranges::none_of(characters, is_lower)) {
    return LetterCase::kUpper;
  }
  std::ptrdiff_t words = 0;
  bool is_title = true;
  for_each_word(characters, [&](auto begin, auto end) {
    const auto letters = std::count_if(begin, end, is_letter);
    const bool has_capital = is_capital(*begin) && std::none_of(begin + 1, end, is_capital);
    words += has_capital ? 1 : 0;
    is_title = is_title && (has_capital || (letters < kShortWord && std::none_of(begin, end, is_capital)));
  });
  return is_title && words >= 3 ? LetterCase::kTitle : LetterCase::kMixed;
}

bool is_in_capitals(std::string_view word) {
  if (word.size() < static_cast<std::size_t>(kShortWord)) {
    return false;
  }
  const auto characters = decode_utf8(word);
  const auto fits = [](char32_t c) { return is_capital(c) || c == U'\'' || c == U'\u2019' || c == U'-'; };
  return std::ranges::all_of(characters, fits) && std::ranges::count_if(characters, is_capital) >= kShortWord;
}

std::string lower_case(std::string_view text, const std::string& language) {
  return converted(text, [&](const icu::StringPiece& given, icu::ByteSink& sink, UErrorCode& status) {
    icu::CaseMap::utf8ToLower(language.c_str(), 0, given, sink, nullptr, status);
  });
}

std::string sentence_case(std::string_view text, const std::string& language) {
  auto lower = lower_case(text, language);
  if (language == "en" || language.starts_with("en-")) {
    auto characters = decode_utf8(lower);
    for_each_word(characters, [](auto begin, auto end) {
      const bool stands_alone = begin + 1 == end || !is_letter(begin[1]);
      if (*begin == U'i' && stands_alone) {
        *begin = U'I';
      }
    });
    lower = encode_utf8(characters);
  }
  return capitalized(lower, language);
}

std::string raised(std::string_view text, LetterCase letter_case, const std::string& language, bool short_words) {
  if (letter_case == LetterCase::kMixed) {
    return std::string(text);
  }
  if (letter_case == LetterCase::kUpper) {
    return upper_case(text, language);
  }
  auto characters = decode_utf8(text);
  std::string result;
  auto written = characters.begin();
  for_each_word(characters, [&](auto begin, auto end) {
    result += encode_utf8(std::u32string(written, begin));
    const auto word = encode_utf8(std::u32string(begin, end));
    const bool is_raised =
        short_words || written == characters.begin() || std::count_if(begin, end, is_letter) >= kShortWord;
    result += is_raised ? capitalized(word, language) : word;
    written = end;
  });
  return result + encode_utf8(std::u32string(written, characters.end()));
}

bool has_short_capitals(std::string_view text) {
  auto characters = decode_utf8(text);
  std::ptrdiff_t with_capital = 0;
  std::ptrdiff_t without = 0;
  bool is_first = true;
  for_each_word(characters, [&](auto begin, auto end) {
    if (!is_first && std::count_if(begin, end, is_letter) < kShortWord) {
      ++(is_capital(*begin) ? with_capital : without);
    }
    is_first = false;
  });
  return with_capital > 0 && without == 0;
}

}  // namespace translate
