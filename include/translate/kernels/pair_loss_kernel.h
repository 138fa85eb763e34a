#pragma once

#include <cstdint>

namespace translate {

/// What the loss of two predictions of one label is made of.
struct PairLossSettings {
  float smoothing;  ///< epsilon of label smoothing
  float weight;     ///< of the divergence
};

/// Loss of two predictions of one label, in nats.
struct PairLoss {
  float smoothed;    ///< cross entropy against the smoothed label, mean of both
  float plain;       ///< against the label, likewise
  float divergence;  ///< mean of the Kullback-Leibler divergences both ways
};

/// Overwrites two rows of `size` logits of the same label with their gradients of smoothed + weight * divergence. For
/// the probabilities p, q of the rows and d = log p - log q, that of the first row is
///   (p - (1 - epsilon) [label] - epsilon / size) / 2 + weight / 2 * (p (d - KL(p, q)) + p - q),
/// and that of the second the same with p and q in each other's place.
PairLoss pair_loss_rows(float* first, float* second, std::int64_t size, std::int64_t label,
                        const PairLossSettings& settings);

}  // namespace translate
