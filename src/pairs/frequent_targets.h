#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "pairs/pair_source.h"

namespace translate {

/// Finds targets that stand beside many different sources, as the notices of a site that a crawler read or a menu do,
/// and chooses the sources that are kept. In a first reading it counts all targets, in 8 MiB (a count-min sketch with
/// conservative updates: Cormode and Muthukrishnan 2005; Estan and Varghese 2002), which never counts too few. In a
/// second one it keeps the scores of the pairs of those that are frequent: 16 bytes each, and 60 for a target.
class FrequentTargets {
 public:
  /// `most`: sources of a target that are kept, at most 254.
  explicit FrequentTargets(std::size_t most);

  /// A hash that is the same for targets which differ in case and punctuation alone. Thread-safe.
  [[nodiscard]] static std::uint64_t key_of(const SentencePair& pair);

  /// The first reading: counts a target.
  void count(std::uint64_t key);

  /// Whether there may be targets with more sources. Without, the second reading can be left out.
  [[nodiscard]] bool has_any() const { return has_any_; }

  /// The second reading: takes a pair with its number in the text. Scores: the higher, the better.
  void add(std::uint64_t key, std::uint64_t number, float score);

  /// After the second reading: the numbers of the pairs that are too many: all but the ones with the best scores, and
  /// of equal scores the first.
  [[nodiscard]] std::vector<std::uint64_t> superfluous() const;

 private:
  struct Entry {
    std::uint64_t number;
    float score;
  };

  [[nodiscard]] std::uint8_t count_of(std::uint64_t key) const;

  std::size_t most_;
  bool has_any_ = false;
  std::vector<std::uint8_t> counts_;  ///< two rows
  std::unordered_map<std::uint64_t, std::vector<Entry>> frequent_;
};

}  // namespace translate
