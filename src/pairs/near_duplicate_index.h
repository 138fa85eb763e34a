#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace translate {

/// Returns a hash that is the same for texts which are equal but for case and punctuation.
[[nodiscard]] std::uint64_t hash_of_words(std::string_view text);

/// Finds near-duplicates of texts: texts that are equal but for case, punctuation and numbers, or that differ in one
/// word of at least four, which may also be missing in one of them. Words are those of word_hashes; texts without such
/// words (numbers alone, scripts that do not separate words) have near-duplicates that are equal to the byte.
class NearDuplicateIndex {
 public:
  /// Adds a text with a number of the caller's. Of near-duplicates the first counts.
  void add(std::string_view text, std::size_t number);

  /// Returns the number of a text that is a near-duplicate of this one; nothing if there is none.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view text) const;

 private:
  std::unordered_map<std::uint64_t, std::size_t> texts_;      ///< by the hash of all words
  std::unordered_map<std::uint64_t, std::size_t> shortened_;  ///< by that of all but one
  std::unordered_map<std::uint64_t, std::size_t> patterns_;   ///< by that with any word in the place of one
};

}  // namespace translate
