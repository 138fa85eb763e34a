#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pairs/near_duplicate_index.h"
#include "pairs/pair_source.h"

namespace translate {

/// What a pair of a text is used for.
enum class PairUse {
  kTraining,
  kValidation,
  kTest,
  kNearDuplicate  ///< nothing: a side is a near-duplicate of one that is held out (see NearDuplicateIndex)
};

/// Chooses the pairs of a text that are held out for validation and for the test, at random, and those that are left
/// out of training because they would tell a model about these. The text is read three times: `propose` sees each pair
/// once, then, after `index_candidates`, `count_near_duplicates`, and after `choose`, `use_of`, always in the same
/// order.
class HeldOutPairs {
 public:
  /// `each`: the pairs of the validation set, and of the test set.
  HeldOutPairs(std::size_t each, std::uint64_t seed) : each_(each), seed_(seed) {}

  /// The first reading: draws candidates.
  void propose(const SentencePair& pair);

  /// Ends the first reading.
  void index_candidates();

  /// The second reading: counts the near-duplicates of the candidates.
  void count_near_duplicates(const SentencePair& pair);

  /// Chooses among the candidates, which then stand. Those with many near-duplicates come last, because these would be
  /// lost to training.
  void choose();

  /// The third reading.
  [[nodiscard]] PairUse use_of(const SentencePair& pair);

 private:
  struct Candidate {
    std::uint64_t order = 0;  ///< random
    std::size_t place = 0;    ///< in the text
    SentencePair pair = {};
    std::size_t near_duplicates = 0;
    PairUse use = PairUse::kTraining;
  };

  std::size_t each_;
  std::uint64_t seed_;
  std::size_t place_ = 0;              ///< of the next pair in this reading
  std::vector<Candidate> candidates_;  ///< a heap by `order` in the first reading, then by their places
  std::size_t next_ = 0;               ///< the first candidate at or behind `place_`
  NearDuplicatePairs index_;           ///< of the candidates, then of the pairs that are held out
};

/// Returns the pairs of a validation set, and of a test set as large, for a text of so many pairs: a thirtieth, but
/// 1,000 at most, and where there are enough pairs 100 at least.
[[nodiscard]] std::size_t held_out_size(std::size_t pairs);

}  // namespace translate
