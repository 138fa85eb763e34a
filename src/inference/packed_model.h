#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "inference/activation_rows.h"
#include "inference/attention_cache.h"
#include "inference/decoding_session.h"
#include "inference/model_weights.h"
#include "kernels/float_buffer.h"

namespace translate {

/// What the decoder needs of an encoded sentence: keys and values of every decoder layer's cross attention, computed
/// once.
struct EncodedSource {
  std::int64_t length = 0;                          ///< S
  std::shared_ptr<const FloatBuffer> key_values{};  ///< S of KeyValueRows for each layer, one layer after the other
};

/// Encodes sentences without padding, each as it would be alone. `positions`: of the source, at least as many as the
/// longest sentence has. Uses all threads where it is not itself called by one of several.
[[nodiscard]] std::vector<EncodedSource> encode_sources(const ModelWeights& weights,
                                                        std::span<const std::span<const std::int64_t>> sources,
                                                        const PositionVectors& positions);

/// A session of a PackedModel.
class PackedSession : public DecodingSession {
 public:
  /// The weights must outlive it.
  PackedSession(const ModelWeights& weights, const SessionOptions& options);

  [[nodiscard]] std::int64_t rows() const override { return cache_.rows(); }
  [[nodiscard]] bool can_join() const override { return true; }
  void add(std::span<const std::span<const std::int64_t>> sources) override;
  void step(std::span<const std::int64_t> subwords, const Reader& read) override;
  void select(std::span<const std::int64_t> parents) override;

 private:
  void step_rows(std::int64_t first, std::span<const std::int64_t> subwords, const Reader& read);
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

/// A Transformer used for inference through the kernels of this project, on the CPU: weights laid out once, no padding,
/// sentences that come and go at any step, caches that are shared by the hypotheses of a beam. What a row gives does
/// not depend, to the last bit, on the rows beside it, on the number of threads, or on when it joined. Only where
/// has_vector_kernels() holds.
class PackedModel : public InferenceModel {
 public:
  explicit PackedModel(ModelWeights weights);

  [[nodiscard]] std::unique_ptr<DecodingSession> start(const SessionOptions& options) const override;
  [[nodiscard]] bool runs_side_by_side() const override { return true; }
  [[nodiscard]] std::int64_t vocabulary() const override { return weights_.sizes.target; }

 private:
  ModelWeights weights_;
};

}  // namespace translate
