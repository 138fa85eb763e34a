#pragma once

#include <cstdint>

namespace translate {

/// A row of a beam search with a next subword.
struct BeamCandidate {
  double sum;    ///< log-probability of the whole
  double score;  ///< of the subword
  std::int64_t subword;
  std::int64_t row;
  std::int64_t aligned;  ///< see SubwordTree::Node

  /// The higher sum comes first; of equal ones the lower subword, then the lower row.
  [[nodiscard]] bool is_before(const BeamCandidate& other) const {
    if (sum != other.sum) {
      return sum > other.sum;
    }
    return subword != other.subword ? subword < other.subword : row < other.row;
  }
};

}  // namespace translate
