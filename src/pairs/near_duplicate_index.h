#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "pairs/pair_source.h"

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

/// Finds pairs with a side that is a near-duplicate of the same side of another pair.
class NearDuplicatePairs {
 public:
  /// Adds a pair with a number of the caller's. Of near-duplicates the first counts.
  void add(const SentencePair& pair, std::size_t number) {
    sources_.add(pair.source, number);
    targets_.add(pair.target, number);
  }

  /// Returns the number of the pair whose source is a near-duplicate of this one's, and that by the targets.
  [[nodiscard]] std::array<std::optional<std::size_t>, 2> find(const SentencePair& pair) const {
    return {sources_.find(pair.source), targets_.find(pair.target)};
  }

  /// Returns whether there is such a pair.
  [[nodiscard]] bool has(const SentencePair& pair) const {
    return sources_.find(pair.source).has_value() || targets_.find(pair.target).has_value();
  }

 private:
  NearDuplicateIndex sources_;
  NearDuplicateIndex targets_;
};

}  // namespace translate
