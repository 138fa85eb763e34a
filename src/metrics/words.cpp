#include "metrics/words.h"

#include <unicode/ucasemap.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/error.h"
#include "core/utf8.h"

namespace translate {

namespace {

/// The length in bytes of the white-space character that starts at `position`; 0 if none does (also inside a
/// character).
std::size_t space_bytes_at(std::string_view text, std::size_t position) {
  const auto lead = static_cast<unsigned char>(text[position]);
  if (lead < 0x80) {
    return is_unicode_space(lead) ? 1 : 0;
  }
  const std::size_t bytes = lead < 0xE0 ? 2 : 3;  // no white space takes four
  const std::u32string code_points = decode_utf8(text.substr(position, bytes));
  return code_points.size() == 1 && is_unicode_space(code_points.front()) ? bytes : 0;
}

}  // namespace

std::vector<std::string_view> split_at_spaces(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t word_begin = 0;
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t space_bytes = space_bytes_at(text, position);
    if (space_bytes == 0) {
      ++position;
      continue;
    }
    if (position > word_begin) {
      words.push_back(text.substr(word_begin, position - word_begin));
    }
    position += space_bytes;
    word_begin = position;
  }
  if (word_begin < text.size()) {
    words.push_back(text.substr(word_begin));
  }
  return words;
}

std::string_view trim_trailing_spaces(std::string_view text) {
  std::size_t end = 0;  // after the last byte that is not white space
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t space_bytes = space_bytes_at(text, position);
    position += space_bytes == 0 ? 1 : space_bytes;
    if (space_bytes == 0) {
      end = position;
    }
  }
  return text.substr(0, end);
}

namespace {

std::string ascii_to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return lower;
}

[[noreturn]] void fail(UErrorCode error) {
  throw RuntimeError("ICU cannot put a text into lower case: error " + std::to_string(error));
}

const UCaseMap* lower_case_map() {
  static const auto map = [] {
    UErrorCode error = U_ZERO_ERROR;
    std::unique_ptr<UCaseMap, decltype(&::ucasemap_close)> opened(ucasemap_open("", 0, &error), ucasemap_close);
    if (U_FAILURE(error)) {
      fail(error);
    }
    return opened;
  }();
  return map.get();
}

bool has_category(char32_t code_point, std::uint32_t mask) {
  return (U_MASK(u_charType(static_cast<UChar32>(code_point))) & mask) != 0;
}

}  // namespace

std::string to_lower_case(std::string_view text) {
  if (is_ascii(text)) {
    return ascii_to_lower(text);
  }
  const std::string source = replace_invalid_utf8(text);
  std::string lower(2 * source.size(), '\0');  // no character's lower case takes more than twice its bytes
  UErrorCode error = U_ZERO_ERROR;
  const std::int32_t size =
      ucasemap_utf8ToLower(lower_case_map(), lower.data(), static_cast<std::int32_t>(lower.size()), source.data(),
                           static_cast<std::int32_t>(source.size()), &error);
  if (U_FAILURE(error)) {
    fail(error);
  }
  lower.resize(static_cast<std::size_t>(size));
  return lower;
}

bool is_unicode_number(char32_t code_point) { return has_category(code_point, U_GC_N_MASK); }

bool is_unicode_punctuation(char32_t code_point) { return has_category(code_point, U_GC_P_MASK); }

bool is_unicode_symbol(char32_t code_point) { return has_category(code_point, U_GC_S_MASK); }

namespace {

using Words = std::vector<std::string_view>;

/// The largest number of pairs of places in both lines: 64 MiB of memory.
constexpr std::size_t kMostPlaces = std::size_t{1} << 24U;

/// For each pair of places in both lines, the length of the longest common subsequence of the rests.
class CommonWords {
 public:
  CommonWords(const Words& a, const Words& b) : columns_(b.size() + 1), lengths_((a.size() + 1) * columns_, 0) {
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t j = b.size(); j-- > 0;) {
        lengths_[i * columns_ + j] = a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
  }

  [[nodiscard]] std::uint32_t at(std::size_t i, std::size_t j) const { return lengths_[i * columns_ + j]; }

 private:
  std::size_t columns_;
  std::vector<std::uint32_t> lengths_;
};

void append(WordChange change, std::string_view word, std::vector<WordRun>& runs) {
  if (runs.empty() || runs.back().change != change) {
    runs.push_back({.change = change, .words = std::string(word)});
  } else {
    runs.back().words.append(" ").append(word);
  }
}

}  // namespace

std::vector<WordRun> word_diff(std::string_view reference, std::string_view hypothesis) {
  const Words wanted = split_at_spaces(reference);
  const Words hypothesis_words = split_at_spaces(hypothesis);
  std::vector<WordRun> runs;
  if (!wanted.empty() && hypothesis_words.size() > kMostPlaces / wanted.size()) {
    for (const std::string_view word : wanted) {
      append(WordChange::kMissing, word, runs);
    }
    for (const std::string_view word : hypothesis_words) {
      append(WordChange::kAdded, word, runs);
    }
    return runs;
  }
  const CommonWords common(wanted, hypothesis_words);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < wanted.size() || j < hypothesis_words.size()) {
    // Up to the next common word: first the missing words, then the added ones.
    while (i < wanted.size() && common.at(i + 1, j) == common.at(i, j)) {
      append(WordChange::kMissing, wanted[i++], runs);
    }
    while (j < hypothesis_words.size() && common.at(i, j + 1) == common.at(i, j)) {
      append(WordChange::kAdded, hypothesis_words[j++], runs);
    }
    while (i < wanted.size() && j < hypothesis_words.size() && wanted[i] == hypothesis_words[j]) {
      append(WordChange::kSame, wanted[i++], runs);
      ++j;
    }
  }
  return runs;
}

}  // namespace translate
