#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// The change of a run of words from a reference to a hypothesis.
enum class WordChange {
  kSame,     ///< in both
  kMissing,  ///< in the reference only
  kAdded,    ///< in the hypothesis only
};

/// Adjacent words with the same change, separated by single spaces.
struct WordRun {
  WordChange change = WordChange::kSame;
  std::string words;

  bool operator==(const WordRun&) const = default;
};

/// Aligns the words of the reference and the hypothesis with as many common words as possible (a longest common
/// subsequence); missing words come before the words added in their place. In lines that are too long for this (4,096
/// words each), all words are missing or added.
[[nodiscard]] std::vector<WordRun> word_diff(std::string_view reference, std::string_view hypothesis);

}  // namespace translate
