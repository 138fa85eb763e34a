#pragma once

#include <cstdint>

#include "translate/inference/linear_weights.h"
#include "translate/kernels/cached_attention.h"

namespace translate {

/// How keys and values are kept for as long as a sentence is decoded: one row for each position and layer, its key,
/// then its value, in single precision or, beside rounded weights, whose rounding is coarser, in 16 bits.
class KeyValueRows {
 public:
  KeyValueRows(std::int64_t d_model, WeightFormat weights)
      : d_model_(d_model), half_(weights != WeightFormat::kFloat) {}

  /// Memory of a row, in floats.
  [[nodiscard]] std::int64_t size() const { return half_ ? d_model_ : 2 * d_model_; }

  /// Keeps `count` rows, whose keys and values lie at `from` (2 d_model floats each, `stride` apart), at `to`.
  void keep(std::int64_t count, const float* from, std::int64_t stride, float* to) const;

  /// attend_to_cache of `query` over rows kept at `kept`: the `count` ones that `index` names, or the first ones where
  /// that is null.
  void attend(const HeadShape& shape, const float* query, const float* kept, const std::int32_t* index,
              std::int64_t count, float* weights, float* out) const;

 private:
  std::int64_t d_model_;
  bool half_;
};

}  // namespace translate
