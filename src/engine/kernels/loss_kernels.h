#pragma once

#include <cstdint>

#include "kernels/matrix/packed_matrix.h"

namespace translate {

/// The weight of a projection to classes, packed as the right factor of both products that need it, in one FactorType.
struct ProjectionFactors {
  PackedMatrix to_classes;   ///< (d, classes), for the logits
  PackedMatrix to_features;  ///< (classes, d), for the gradient of the features
  const float* bias;         ///< one value per class, filled up with kNoClass to whole panels
};
inline constexpr float kNoClass = -1e30F;  ///< a bias whose exponential is negligible

/// The rows of features that project_exponentials projects, and the destinations of their sums.
struct ProjectedRows {
  std::int64_t first;      ///< the row of `exponentials` that belongs to the first row; an even number in bf16
  std::int64_t count;      ///< the rows must lie in one block of kDepthBlock rows
  ConstRows features;      ///< (count, d)
  const float* shifts;     ///< one per row
  float* sums;             ///< one per row: filled with the sum of its exponentials
  Rows weighted_features;  ///< (count, whole panels of d): filled with the exponentials times the weight
};

/// Fills rows of `exponentials` (rows, classes), of the factors' FactorType, with e^(logit - shift), clamped to e^-87
/// .. e^87, where logit = features * weight + bias. Neither of the two sums needs the other one to be complete, because
/// a softmax can divide afterwards (compare Milakov and Gimelshein 2018, "Online normalizer calculation for softmax",
/// and Dao et al. 2022, section 3.1): so one pass over the classes is enough, in blocks that stay in the second-level
/// cache. Runs on one thread; the result of a row does not depend on the other rows.
void project_exponentials(const ProjectionFactors& factors, const ProjectedRows& rows,
                          const PackedMatrix& exponentials);

/// One value for each of two rows of logits that predict the same label.
struct Two {
  float first;
  float second;
};

/// The loss of two predictions of the same label.
struct TwoPassFactors {
  Two shares;    ///< of the first and the second prediction: their sum is 1
  float weight;  ///< of the divergence
};

/// The values that two_pass_rows computes in addition to the gradients.
struct TwoPassRows {
  Two normaliser;    ///< log sum of e^logit
  float divergence;  ///< a KL(p, q) + b KL(q, p), in nats
};

/// Overwrites two rows of `size` logits that predict the same label with the gradients of
///   a normaliser of the first + b normaliser of the second + weight (a KL(p, q) + b KL(q, p))
/// for the probabilities p and q of the rows and their shares a and b. With the targets subtracted this is the loss of
/// R-Drop (1/2 and 1/2) and of SimCut (1 and 0). For d = log p - log q the gradients are
///   by the first row:  a p + weight (a p (d - KL(p, q)) + b (p - q))
///   by the second row: b q + weight (b q (-d - KL(q, p)) + a (q - p)).
/// Makes three passes over rows that stay in cache.
TwoPassRows two_pass_rows(float* first, float* second, std::int64_t size, TwoPassFactors factors);

}  // namespace translate
