#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "translate/inference/activation_rows.h"
#include "translate/inference/decoding_session.h"
#include "translate/inference/key_value_rows.h"
#include "translate/inference/model_weights.h"
#include "translate/inference/source_encoder.h"
#include "translate/inference/target_cache.h"
#include "translate/kernels/float_buffer.h"

namespace translate {

/// A session of a PackedModel.
class PackedSession : public DecodingSession {
 public:
  /// The weights must outlive it.
  PackedSession(const ModelWeights& weights, const SessionOptions& options);

  [[nodiscard]] std::int64_t rows() const override { return cache_.rows(); }
  [[nodiscard]] bool can_join() const override { return true; }
  void add(std::span<const std::span<const std::int64_t>> sources) override;
  void step(std::span<const std::int64_t> pieces, const Reader& read) override;
  void select(std::span<const std::int64_t> parents) override;

 private:
  void step_rows(std::int64_t first, std::span<const std::int64_t> pieces, const Reader& read);
  void attend_to_target(std::int64_t first, std::size_t layer, const float* from, float* to);
  void attend_to_source(std::int64_t first, std::size_t layer, const float* from, float* to);

  const ModelWeights& weights_;
  std::int64_t width_;
  bool wants_attention_;
  KeyValueRows key_values_;
  PositionVectors source_positions_;
  PositionVectors target_positions_;
  std::vector<EncodedSource> sources_;  ///< one a row
  std::vector<EncodedSource> next_sources_;
  TargetCache cache_;
  ActivationRows x_;
  FloatBuffer logits_;                         ///< of the rows at hand
  FloatBuffer attention_weights_;              ///< of one row in one layer
  std::vector<std::vector<float>> attention_;  ///< of the rows at hand: (S), mean over the heads
  std::vector<std::int64_t> positions_;        ///< of the rows at hand
};

}  // namespace translate
