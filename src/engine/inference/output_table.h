#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inference/linear_weights.h"

namespace translate {

/// The outputs of a linear layer as they are packed, one after the other, from which a layer of some of them is made in
/// little time: a panel of a packed matrix has every output of a list in other cache lines. It takes as much memory as
/// the layer's weight.
class OutputTable {
 public:
  /// The layer must outlive it. Uses all threads.
  explicit OutputTable(const LinearWeights& layer);

  /// Returns the layer of these outputs, in their order, at least one: bit for bit the same results.
  [[nodiscard]] LinearWeights layer_of(std::span<const std::int64_t> outputs) const;

 private:
  const LinearWeights& layer_;
  std::int64_t width_ = 0;
  std::vector<float> terms_;  ///< (outputs, width_)
};

}  // namespace translate
