#pragma once

#include <cstdint>

#include "translate/kernels/packed_matrix.h"

namespace translate {

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

}  // namespace translate
