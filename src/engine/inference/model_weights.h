#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint/safetensors.h"
#include "config/options.h"
#include "inference/linear_weights.h"
#include "kernels/norm.h"
#include "model/memory_need.h"
#include "model/position_table.h"

namespace translate {

/// The position vectors that are added to the embeddings of subwords. Copies share the table until one of them grows.
class PositionVectors {
 public:
  /// Adds nothing (PositionKind::kNone).
  PositionVectors() = default;
  /// Sinusoidal vectors.
  explicit PositionVectors(const Sinusoids& sinusoids);
  /// Learned vectors: a table (count, width).
  PositionVectors(std::shared_ptr<const float> table, std::int64_t count, std::int64_t width);

  [[nodiscard]] bool exist() const { return kind_ != PositionKind::kNone; }

  /// Makes positions [0, length) available (see positions_to_hold). Throws RuntimeError if there are fewer learned
  /// ones.
  void reach(std::int64_t length);

  /// The vector of a position within reach, `width` floats.
  [[nodiscard]] const float* at(std::int64_t position) const { return table_.get() + position * sinusoids_.width; }

  /// The number of floats in its table, and the table itself.
  [[nodiscard]] std::int64_t size() const { return count_ * sinusoids_.width; }
  [[nodiscard]] const float* table() const { return table_.get(); }

 private:
  PositionKind kind_ = PositionKind::kNone;
  Sinusoids sinusoids_{0};  ///< their width is that of all kinds
  std::int64_t count_ = 0;
  std::shared_ptr<const float> table_;
};

/// A layer norm's parameters.
struct NormWeights {
  std::shared_ptr<const float> alpha;  ///< (d_model); null: the model has no such norm
  std::shared_ptr<const float> bias;   ///< (d_model); null: none
  RowNorm rule{};

  [[nodiscard]] bool exists() const { return alpha != nullptr; }
  /// Computes to = the norm of each of `rows` rows; `to` may be `from`.
  void apply(std::int64_t rows, const float* from, float* to) const;
};

/// A feed-forward block in its residual connection.
struct FeedForwardWeights {
  NormWeights norm;
  LinearWeights first;
  LinearWeights second;
};

/// Self-attention in its residual connection.
struct SelfAttentionWeights {
  NormWeights norm;
  LinearWeights query_key_value;  ///< d -> 3 d
  LinearWeights output;
};

/// A recurrent unit in its residual connection (kernels/recurrence.h).
struct RecurrentUnitWeights {
  NormWeights norm;
  LinearWeights maps;  ///< d -> 2 d: the candidate, then the gate
};

/// Cross attention in its residual connection.
struct CrossAttentionWeights {
  NormWeights norm;
  LinearWeights query;
  LinearWeights key_value;  ///< d -> 2 d, applied to the encoder's output
  LinearWeights output;
};

struct EncoderLayerWeights {
  SelfAttentionWeights self;
  FeedForwardWeights feed_forward;
};

/// A decoder layer. It has either self-attention or a recurrent unit (ModelOptions::decoder); the other one is empty.
struct DecoderLayerWeights {
  SelfAttentionWeights self;
  RecurrentUnitWeights recurrent_unit;
  CrossAttentionWeights cross;
  FeedForwardWeights feed_forward;
};

/// A table of subword embeddings, as stored.
struct EmbeddingWeights {
  std::shared_ptr<const float> table;  ///< (subwords, d_model)
  float factor = 1.0F;                 ///< multiplies the rows
  std::int64_t zero = -1;              ///< the subword that has the zero vector, or -1
};

/// The weights of a Transformer, laid out for decoding.
struct ModelWeights {
  ModelOptions options;
  VocabularySizes sizes;
  WeightFormat format = WeightFormat::kFloat;
  EmbeddingWeights source_embedding;
  EmbeddingWeights target_embedding;
  PositionVectors source_positions;
  PositionVectors target_positions;
  std::vector<EncoderLayerWeights> encoder;
  std::vector<DecoderLayerWeights> decoder;
  NormWeights encoder_norm;  ///< pre-norm alone
  NormWeights decoder_norm;
  LinearWeights projection;  ///< d -> V
};

/// The memory of all weights in bytes; what several share (tied embeddings, positions) counts once.
[[nodiscard]] std::int64_t weight_bytes(const ModelWeights& weights);

/// Packs `parameters` (by the reference's names, a tied weight under its first name; float, or converted to it). For
/// parameters in a file, the embeddings, norms and learned positions are kept in memory, and each matrix is read when
/// it is packed, so that nothing is read from the file afterwards.
/// Throws CheckpointError naming `origin` if parameters are missing, left over or of another shape.
/// `format`: of all matrices except the embeddings.
[[nodiscard]] ModelWeights pack_weights(const ModelOptions& options, const VocabularySizes& sizes,
                                        const NamedArrays& parameters, WeightFormat format, const std::string& origin);

}  // namespace translate
