#pragma once

#include <cstdint>

#include "kernels/matrix/packed_matrix.h"

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

/// The weights of a projection to classes as the right-hand factors of both its products, of one FactorType.
struct ProjectionFactors {
  PackedMatrix to_classes;   ///< (d, classes), for logits
  PackedMatrix to_features;  ///< (classes, d), for the gradient of the features
  const float* bias;         ///< of whole panels of classes; those that are no class have kNoClass
};
inline constexpr float kNoClass = -1e30F;  ///< a bias whose exponential is next to nothing

/// Rows of features to be projected.
struct ProjectedRows {
  std::int64_t first;      ///< the row of the exponentials that the first one gives; even in bf16
  std::int64_t count;      ///< all of them in one block of kDepthBlock rows
  ConstRows features;      ///< count x d
  const float* shifts;     ///< one a row
  float* sums;             ///< one a row: filled with the sum of its exponentials
  Rows weighted_features;  ///< count x whole panels of d: filled with the sum of exponential times weight of a class
};

/// Fills rows of `exponentials` (rows, classes), of the factors' FactorType, with e^(logit - shift), clamped to e^-87
/// .. e^87, where logit = features times weight + bias. One pass over the classes does all, in blocks that stay in the
/// second-level cache, as neither sum depends on the other's end: a softmax divides later (compare Milakov and
/// Gimelshein 2018, "Online normalizer calculation for softmax", and Dao et al. 2022, section 3.1). For one thread; a
/// row does not depend on the others. Only where has_vector_kernels() holds.
void project_exponentials(const ProjectionFactors& factors, const ProjectedRows& rows,
                          const PackedMatrix& exponentials);

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
