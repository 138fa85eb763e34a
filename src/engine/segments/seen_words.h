#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace translate {

/// Returns a hash of each word of a text (valid UTF-8). Words that differ only in case, or in how their characters are
/// composed (Unicode's NFKC_Casefold), have the same. A word is a run of letters, marks and digits with at least one
/// letter, in a script that separates words by spaces.
[[nodiscard]] std::vector<std::uint64_t> word_hashes(std::string_view text);

/// The same, with a hash of each character where a script does not separate words by spaces.
[[nodiscard]] std::vector<std::uint64_t> word_or_character_hashes(std::string_view text);

/// Tells which words a text, such as that of a training, never has: a Bloom filter (Bloom 1970, "Space/time trade-offs
/// in hash coding with allowable errors"). It takes 16 bits a word, in which one of 2,000 words that the text does not
/// have seems to be there; beyond half a million words it takes 1 MiB, and more of them do (of a million words 2 %).
class SeenWords {
 public:
  /// `hashes`: those of all words of the text.
  explicit SeenWords(const std::unordered_set<std::uint64_t>& hashes);

  /// Reads what serialized() has returned. Throws DataError if the bytes are something else.
  [[nodiscard]] static SeenWords from_serialized(std::string_view bytes);

  /// The same for the same words, in whatever order they came.
  [[nodiscard]] std::string serialized() const;

  /// Returns the words of another text (valid UTF-8) that are not among these, as they are written there, in their
  /// order.
  [[nodiscard]] std::vector<std::string> unseen(std::string_view text) const;

 private:
  SeenWords() = default;
  [[nodiscard]] bool has(std::uint64_t hash) const;
  void add(std::uint64_t hash);

  std::uint32_t hash_functions_ = 1;  ///< each sets one bit for a word
  std::string bits_;                  ///< not empty
};

}  // namespace translate
