#include "metrics/word_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "metrics/words.h"

namespace translate {

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
    for (const std::string_view word : wanted) append(WordChange::kMissing, word, runs);
    for (const std::string_view word : hypothesis_words) append(WordChange::kAdded, word, runs);
    return runs;
  }
  const CommonWords common(wanted, hypothesis_words);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < wanted.size() || j < hypothesis_words.size()) {
    // Up to the next common word: first the missing words, then the added ones.
    while (i < wanted.size() && common.at(i + 1, j) == common.at(i, j)) append(WordChange::kMissing, wanted[i++], runs);
    while (j < hypothesis_words.size() && common.at(i, j + 1) == common.at(i, j))
      append(WordChange::kAdded, hypothesis_words[j++], runs);
    while (i < wanted.size() && j < hypothesis_words.size() && wanted[i] == hypothesis_words[j]) {
      append(WordChange::kSame, wanted[i++], runs);
      ++j;
    }
  }
  return runs;
}

}  // namespace translate
