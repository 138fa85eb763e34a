#include "metrics/words.h"

#include <unicode/ucasemap.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>

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

/// An n-gram at a place of the sequences laid end to end: `key` is the number of its first n - 1 symbols, counted in
/// the order before, and its last symbol. Equal n-grams have equal keys, however long they are.
struct Entry {
  std::uint64_t key;
  std::size_t sequence;  ///< 0 is the hypothesis
  std::size_t position;

  bool operator<(const Entry& other) const {
    return std::tie(key, sequence, position) < std::tie(other.key, other.sequence, other.position);
  }
};

/// The sequences laid end to end, and for each place the number of the (n-1)-gram that starts there.
class NgramTable {
 public:
  NgramTable(Symbols hypothesis, std::span<const Symbols> references) {
    append(hypothesis);
    for (const Symbols reference : references) {
      append(reference);
    }
    prefixes_.assign(symbols_.size(), 0);
    entries_.reserve(symbols_.size());
  }

  /// Counts the n-grams of the next order.
  NgramCounts count(std::size_t n) {
    collect(n);
    NgramCounts counts;
    std::uint32_t number = 0;
    for (std::size_t begin = 0, end = 0; begin < entries_.size(); begin = end, ++number) {
      std::int64_t in_hypothesis = 0;
      std::int64_t most = 0;     // in any one reference
      std::int64_t in_this = 0;  // in the reference of the entry looked at
      for (; end < entries_.size() && entries_[end].key == entries_[begin].key; ++end) {
        const Entry& entry = entries_[end];
        prefixes_[entry.position] = number;
        const bool same = end > begin && entries_[end - 1].sequence == entry.sequence;
        in_this = same ? in_this + 1 : 1;
        (entry.sequence == 0 ? in_hypothesis : most) = std::max(entry.sequence == 0 ? 0 : most, in_this);
      }
      counts.hypothesis += in_hypothesis;
      counts.reference += static_cast<std::int64_t>(end - begin) - in_hypothesis;
      counts.matches += std::min(in_hypothesis, most);
    }
    return counts;
  }

 private:
  void append(Symbols sequence) {
    symbols_.insert(symbols_.end(), sequence.begin(), sequence.end());
    ends_.push_back(symbols_.size());
  }

  void collect(std::size_t n) {
    entries_.clear();
    std::size_t begin = 0;
    for (std::size_t sequence = 0; sequence < ends_.size(); ++sequence) {
      for (std::size_t i = begin; i + n <= ends_[sequence]; ++i) {
        entries_.push_back({(static_cast<std::uint64_t>(prefixes_[i]) << 32) | symbols_[i + n - 1], sequence, i});
      }
      begin = ends_[sequence];
    }
    std::sort(entries_.begin(), entries_.end());
  }

  std::vector<std::uint32_t> symbols_;
  std::vector<std::size_t> ends_;
  std::vector<std::uint32_t> prefixes_;
  std::vector<Entry> entries_;
};

}  // namespace

std::vector<NgramCounts> count_ngrams(Symbols hypothesis, std::span<const Symbols> references, std::size_t max_order) {
  NgramTable table(hypothesis, references);
  std::vector<NgramCounts> counts;
  for (std::size_t n = 1; n <= max_order; ++n) {
    counts.push_back(table.count(n));
  }
  return counts;
}

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
