#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "translate/config/options.h"
#include "translate/inference/linear_weights.h"
#include "translate/kernels/row_kernels.h"
#include "translate/model/vocabulary_sizes.h"

namespace translate {

/// A layer norm's parameters.
struct NormWeights {
  at::Tensor alpha;  ///< undefined: there is no such norm
  at::Tensor bias;
  RowNormalization rule{};

  [[nodiscard]] bool exists() const { return alpha.defined(); }
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

/// A table of vectors, of pieces or of positions, as it is stored.
struct EmbeddingWeights {
  at::Tensor table;     ///< (pieces, d_model)
  float factor = 1.0F;  ///< its rows are multiplied by this
};

/// The weights of a Transformer as decoding reads them.
struct ModelWeights {
  ModelOptions options;
  VocabularySizes sizes;
  WeightFormat format = WeightFormat::kFloat;
  EmbeddingWeights source_embedding;
  EmbeddingWeights target_embedding;
  at::Tensor source_positions;  ///< (positions, d_model), learned or computed; undefined where there are none
  at::Tensor target_positions;
  std::vector<EncoderLayerWeights> encoder;
  std::vector<DecoderLayerWeights> decoder;
  NormWeights encoder_norm;  ///< pre-norm alone
  NormWeights decoder_norm;
  LinearWeights projection;  ///< d -> V
};

/// Lays out `parameters` (by the reference's names, a tied weight under its first name; float, or converted to it).
/// Throws CheckpointError where one is missing, left over or of another shape.
/// `format`: of all matrices but the embeddings.
[[nodiscard]] ModelWeights pack_weights(const ModelOptions& options, const VocabularySizes& sizes,
                                        const std::vector<std::pair<std::string, at::Tensor>>& parameters,
                                        WeightFormat format);

}  // namespace translate
