#pragma once

#include <vector>

#include "pairs/pair_sample.h"

namespace translate {

/// A sample of a text in which some pairs were made into noise. The views of the others are those of the sample.
struct DecoySample {
  std::vector<PairSample::View> all;  ///< in the order of their keys: the text's pairs and all decoys

  std::vector<std::size_t> text;           ///< places in `all`: of pairs that were left alone
  std::vector<std::size_t> mismatched;     ///< with the target of another decoy
  std::vector<std::size_t> source_halves;  ///< with a half of their sources, the first or the second one
  std::vector<std::size_t> target_halves;

  /// Makes decoys of 2 to 5 % of the pairs for each kind, more of small samples. Which ones follows from their keys.
  /// The number of characters of a half is that of its words. The sample must outlive this.
  explicit DecoySample(const PairSample& sample);
};

}  // namespace translate
