#include "text/text_joining.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

#include "core/utf8.h"
#include "text/word_characters.h"

namespace translate {

namespace {

/// How the words of a script are separated.
enum class Writing {
  kUnknown,   ///< there is no letter
  kUnspaced,  ///< ideographs, kana, bopomofo
  kHangul,    ///< with spaces, also beside wide marks
  kSpaced     ///< all other scripts
};

struct Range {
  char32_t first;
  char32_t last;
};

constexpr Range kUnspaced[] = {{0x2E80, 0x2FDF},  {0x3005, 0x3007}, {0x3021, 0x3029}, {0x3031, 0x303C},
                               {0x3041, 0x312F},  {0x31A0, 0x31BF}, {0x31F0, 0x31FF}, {0x3400, 0x4DBF},
                               {0x4E00, 0x9FFF},  {0xF900, 0xFAFF}, {0xFF66, 0xFF9F}, {0x1AFF0, 0x1B16F},
                               {0x20000, 0x323AF}};
constexpr Range kHangul[] = {{0x1100, 0x11FF}, {0x3131, 0x318E}, {0xA960, 0xA97F}, {0xAC00, 0xD7FF}, {0xFFA0, 0xFFDC}};
constexpr Range kWideMarks[] = {{0x3001, 0x3003}, {0x3008, 0x3011}, {0x3014, 0x301F}, {0x30FB, 0x30FB},
                                {0xFE10, 0xFE19}, {0xFE30, 0xFE6B}, {0xFF01, 0xFF0F}, {0xFF1A, 0xFF20},
                                {0xFF3B, 0xFF40}, {0xFF5B, 0xFF65}};
constexpr Range kDigits[] = {{U'0', U'9'}, {0xFF10, 0xFF19}};

bool is_in(char32_t character, std::span<const Range> ranges) {
  return std::ranges::any_of(ranges,
                             [=](const Range& range) { return character >= range.first && character <= range.last; });
}

constexpr std::size_t kBytesLookedAt = 128;  // at each end: far more than quotation marks and brackets take

std::u32string head(std::string_view text) { return decode_utf8(text.substr(0, kBytesLookedAt)); }

/// Returns the last characters, the last one first.
std::u32string reversed_tail(std::string_view text) {
  auto characters = decode_utf8(text.substr(text.size() - std::min(text.size(), kBytesLookedAt)));
  std::ranges::reverse(characters);
  return characters;
}

/// Returns the writing of the first letter: digits and marks occur in every language.
Writing writing_of(std::u32string_view characters) {
  for (const auto character : characters) {
    if (!is_word_character(character) || is_in(character, kDigits)) {
      continue;
    }
    if (is_in(character, kUnspaced)) {
      return Writing::kUnspaced;
    }
    return is_in(character, kHangul) ? Writing::kHangul : Writing::kSpaced;
  }
  return Writing::kUnknown;
}

bool begins_with_wide_mark(std::u32string_view characters) {
  return !characters.empty() && is_in(characters.front(), kWideMarks);
}

}  // namespace

bool is_line_end(char32_t character) {
  return (character >= 0x0A && character <= 0x0D) || (character >= 0x1C && character <= 0x1E) || character == 0x85 ||
         character == 0x2028 || character == 0x2029;
}

std::string_view space_between(std::string_view before, std::string_view after) {
  const auto left = reversed_tail(before);
  const auto right = head(after);
  const auto left_writing = writing_of(left);
  const auto right_writing = writing_of(right);
  const auto is_either = [&](Writing writing) { return left_writing == writing || right_writing == writing; };
  const bool has_wide_mark = begins_with_wide_mark(left) || begins_with_wide_mark(right);
  const bool is_spaced = is_either(Writing::kHangul) || (!has_wide_mark && is_either(Writing::kSpaced));
  return is_spaced || (!has_wide_mark && !is_either(Writing::kUnspaced)) ? " " : "";
}

}  // namespace translate
