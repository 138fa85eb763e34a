#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace translate {

/// Returns a number for each word of a text (valid UTF-8), which words have in common that differ in their case or
/// their composition of characters alone. A word is a run of letters, marks and digits with a letter, in a script that
/// separates words by spaces.
[[nodiscard]] std::vector<std::uint64_t> word_numbers(std::string_view text);

/// Tells which words a text, such as that of a training, never has: a Bloom filter (Bloom 1970, "Space/time trade-offs
/// in hash coding with allowable errors"). It takes 16 bits a word, in which one of 2,000 words that the text does not
/// have seems to be there; beyond half a million words it takes 1 MiB, and more of them do (of a million words 2 %).
class SeenWords {
 public:
  /// `numbers`: those of all words of the text.
  explicit SeenWords(const std::unordered_set<std::uint64_t>& numbers);

  /// Reads what serialized() has returned. Throws DataError if the bytes are something else.
  [[nodiscard]] static SeenWords from_serialized(std::string_view bytes);

  /// The same for the same words, in whatever order they came.
  [[nodiscard]] std::string serialized() const;

  /// Returns the words of another text (valid UTF-8) that are not among these, as they are written there, in their
  /// order.
  [[nodiscard]] std::vector<std::string> unseen(std::string_view text) const;

 private:
  SeenWords() = default;
  [[nodiscard]] bool has(std::uint64_t number) const;
  void add(std::uint64_t number);

  std::uint32_t probes_ = 1;  ///< bits for each word
  std::string bits_;          ///< not empty
};

}  // namespace translate
