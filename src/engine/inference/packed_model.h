#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "inference/activation_rows.h"
#include "inference/attention_cache.h"
#include "inference/decoding_session.h"
#include "inference/model_weights.h"
#include "inference/output_table.h"
#include "inference/recurrent_states.h"
#include "kernels/float_buffer.h"
#include "model/aligning_attention.h"

namespace translate {

/// The projection to the subwords of a shortlist.
struct ListedProjection {
  std::vector<std::int64_t> subwords;  ///< rising
  LinearWeights layer;
};

/// An encoded sentence as the decoder reads it: the keys and values of every decoder layer's cross attention, computed
/// once.
struct EncodedSource {
  std::int64_t length = 0;                           ///< S
  std::shared_ptr<const FloatBuffer> key_values{};   ///< S rows (see KeyValueRows) a layer, layer after layer
  std::shared_ptr<const ListedProjection> listed{};  ///< null: the translation may have all subwords
};

/// Encodes sentences without padding; the result of each does not depend on the others. `positions`: of the source, at
/// least as many as the longest sentence has. Uses all threads unless it is called by one of several.
[[nodiscard]] std::vector<EncodedSource> encode_sources(const ModelWeights& weights, IdSpans sources,
                                                        const PositionVectors& positions);

/// A model's projection as an OutputTable, which is made when the first sentence has a shortlist.
class LazyOutputTable {
 public:
  /// The layer must outlive it.
  explicit LazyOutputTable(const LinearWeights& layer) : layer_(layer) {}

  /// Thread-safe.
  [[nodiscard]] const OutputTable& get() const {
    std::call_once(once_, [this] { table_.emplace(layer_); });
    return *table_;
  }

 private:
  const LinearWeights& layer_;
  mutable std::once_flag once_;
  mutable std::optional<OutputTable> table_;
};

/// A session of a PackedModel.
class PackedSession : public DecodingSession {
 public:
  /// The weights, and the table of their projection, must outlive it.
  PackedSession(const ModelWeights& weights, const LazyOutputTable& outputs);

  [[nodiscard]] std::int64_t rows() const override { return std::ssize(sources_); }
  [[nodiscard]] bool can_join() const override { return true; }
  void add(IdSpans sources, IdSpans shortlists) override;
  void step(std::span<const std::int64_t> subwords, const Reader& read) override;
  void give_attention(bool wanted) override { gives_attention_ = wanted; }
  void select(std::span<const std::int64_t> parents) override;

 private:
  /// An attention that is given, and its weights for the current rows: (S) each.
  struct GivenAttention {
    AligningAttention attention;
    std::vector<std::vector<float>> weights = {};
  };

  void list_outputs(IdSpans shortlists, std::span<EncodedSource> encoded) const;
  void project(std::int64_t first, const Reader& read);
  void step_rows(std::int64_t first, std::span<const std::int64_t> subwords, const Reader& read);
  void run_recurrent_unit(std::int64_t first, std::size_t layer, const float* from, float* to);
  void attend_to_target(std::int64_t first, std::size_t layer, const float* from, float* to);
  void attend_to_source(std::int64_t first, std::size_t layer, const float* from, float* to);
  void keep_attention(std::size_t layer, std::int64_t row, std::int64_t source_length, const float* weights);

  const ModelWeights& weights_;
  const LazyOutputTable& outputs_;
  std::int64_t width_;
  bool gives_attention_ = false;
  std::vector<GivenAttention> given_;  ///< the model's predicting_attention, and aligning_attention if it is another
  KeyValueRows key_values_;
  PositionVectors source_positions_;
  PositionVectors target_positions_;
  std::vector<EncodedSource> sources_;  ///< one for each row
  std::vector<EncodedSource> next_sources_;
  std::vector<std::int64_t> lengths_;  ///< target positions of each row
  std::vector<std::int64_t> next_lengths_;
  std::optional<TargetCache> cache_;       ///< of self-attention
  std::optional<RecurrentStates> states_;  ///< of recurrent units
  ActivationRows x_;
  FloatBuffer logits_;                   ///< of the current rows
  FloatBuffer attention_weights_;        ///< of one row in one layer
  std::vector<std::int64_t> positions_;  ///< of the current rows
};

/// Inference of a Transformer with this project's kernels, on the CPU: weights packed once, no padding, sentences that
/// join and leave at any step, and caches shared by the hypotheses of a beam. The results of a row are independent, bit
/// for bit, of the other rows, of the number of threads, and of the step at which it joined.
class PackedModel : public InferenceModel {
 public:
  explicit PackedModel(ModelWeights weights);

  [[nodiscard]] std::unique_ptr<DecodingSession> start() const override;
  [[nodiscard]] bool runs_side_by_side() const override { return true; }
  [[nodiscard]] std::int64_t vocabulary() const override { return weights_.sizes.target; }
  [[nodiscard]] std::int64_t weight_bytes() const override { return translate::weight_bytes(weights_); }

 private:
  ModelWeights weights_;
  LazyOutputTable outputs_;
};

}  // namespace translate
