#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// What became of a run of words on the way from a reference to a hypothesis.
enum class WordChange {
  kSame,     ///< in both
  kMissing,  ///< in the reference only
  kAdded,    ///< in the hypothesis only
};

/// Neighbouring words with the same fate, separated by single spaces.
struct WordRun {
  WordChange change = WordChange::kSame;
  std::string words;

  bool operator==(const WordRun&) const = default;
};

/// The words of the reference and the hypothesis in one order, with as many as possible in both (a longest common
/// subsequence); words that are missing stand before those that are added in their place. Of lines that are too long
/// for this (4,096 words each), all words are missing or added.
[[nodiscard]] std::vector<WordRun> word_diff(std::string_view reference, std::string_view hypothesis);

}  // namespace translate
