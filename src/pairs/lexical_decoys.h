#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pairs/pair_sample.h"
#include "pairs/pair_source.h"

namespace translate {

/// What is made of a pair of a sample before anything is learnt from it.
enum class DecoyKind {
  kNone,        ///< nothing
  kMismatched,  ///< it gets the target of another one
  kHalfSource,  ///< its source loses the first or the second half of its words
  kHalfTarget,  ///< its target does
};

/// The kind of a pair with a key: one pair of 25 is of each kind of decoy.
[[nodiscard]] DecoyKind decoy_kind(std::uint64_t key);

/// The pair with the half that its kind says, for PairSample; others as they are. White space separates words; a text
/// without any is divided between two characters.
[[nodiscard]] SentencePair with_half(SentencePair pair, std::uint64_t key);

/// A sample of pairs as with_half gives them, of which some now get the targets of others. It must outlive this.
struct DecoySample {
  explicit DecoySample(const PairSample& sample);

  std::vector<PairView> all;            ///< in the order of their keys: the text's pairs and all decoys
  std::vector<std::size_t> text;        ///< places in `all`: of pairs that were left alone
  std::vector<std::size_t> mismatched;  ///< with the target of the next of them
  std::vector<std::size_t> half_sources;
  std::vector<std::size_t> half_targets;
};

}  // namespace translate
