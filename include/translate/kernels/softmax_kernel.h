#pragma once

#include <cstdint>

namespace translate {

/// Loss of one row, in nats.
struct RowLoss {
  float smoothed;
  float plain;
};

/// Smoothed cross entropy of one row of `size` logits against `label`. Where `write_gradient`, the row is overwritten
/// with the gradient of the smoothed loss: softmax - (1 - epsilon) [label] - epsilon / size.
/// Three passes over a row that stays in cache; exp is a polynomial good to about 1e-7 relative.
RowLoss softmax_cross_entropy_row(float* row, std::int64_t size, std::int64_t label, float smoothing,
                                  bool write_gradient);

}  // namespace translate
