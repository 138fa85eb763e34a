#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "translate/checkpoint/stored_array.h"
#include "translate/config/options.h"
#include "translate/inference/linear_weights.h"
#include "translate/inference/position_vectors.h"
#include "translate/kernels/row_kernels.h"
#include "translate/model/vocabulary_sizes.h"

namespace translate {

/// A layer norm's parameters.
struct NormWeights {
  std::shared_ptr<const float> alpha;  ///< (d_model); null: there is no such norm
  std::shared_ptr<const float> bias;
  RowNormalization rule{};

  [[nodiscard]] bool exists() const { return alpha != nullptr; }
  /// to = the norm of each of `rows` rows; `to` may be `from`.
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

/// Cross attention in its residual connection.
struct CrossAttentionWeights {
  NormWeights norm;
  LinearWeights query;
  LinearWeights key_value;  ///< d -> 2 d, of the encoder's output
  LinearWeights output;
};

struct EncoderLayerWeights {
  SelfAttentionWeights self;
  FeedForwardWeights feed_forward;
};

struct DecoderLayerWeights {
  SelfAttentionWeights self;
  CrossAttentionWeights cross;
  FeedForwardWeights feed_forward;
};

/// A table of the vectors of pieces, as it is stored.
struct EmbeddingWeights {
  std::shared_ptr<const float> table;  ///< (pieces, d_model)
  float factor = 1.0F;                 ///< its rows are multiplied by this
};

/// The weights of a Transformer as decoding reads them.
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

/// Lays out `parameters` (by the reference's names, a tied weight under its first name; float, or converted to it). Of
/// those in a file, the embeddings, norms and learned positions are kept in memory, and each matrix is read when it is
/// packed, so that nothing is read from the file afterwards.
/// Throws CheckpointError naming `origin` where some are missing, left over or of another shape.
/// `format`: of all matrices but the embeddings.
[[nodiscard]] ModelWeights pack_weights(const ModelOptions& options, const VocabularySizes& sizes,
                                        const NamedArrays& parameters, WeightFormat format, const std::string& origin);

}  // namespace translate
