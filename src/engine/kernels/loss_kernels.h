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

/// The values that r_drop_rows computes in addition to the gradients.
struct RDropRows {
  Two normaliser;    ///< log sum of e^logit
  float divergence;  ///< (KL(p, q) + KL(q, p)) / 2, in nats
};

/// Overwrites two rows of `size` logits that predict the same label with the gradients of
///   (normaliser of the first + normaliser of the second) / 2 + weight * divergence,
/// which is R-Drop's loss without the targets. For the probabilities p and q of the rows and d = log p - log q, the
/// gradient by the first row is p / 2 + weight / 2 * (p (d - KL(p, q)) + p - q), and that by the second is the same
/// with p and q exchanged. Makes three passes over rows that stay in cache.
RDropRows r_drop_rows(float* first, float* second, std::int64_t size, float weight);

}  // namespace translate
