#pragma once

#include <cstdint>

#include "inference/model_weights.h"
#include "kernels/float_buffer.h"
#include "kernels/row_kernels.h"

namespace translate {

/// Rows that go through all layers of a stack together: few enough that they and the results of a sub-layer stay in the
/// second-level cache, enough that loading the weights pays off. A multiple of the matrix product's tile.
inline constexpr std::int64_t kRowsAtATime = 96;

/// Rows of activations (d_model each) that pass through a stack in place, with the scratch memory for this.
class ActivationRows {
 public:
  explicit ActivationRows(const ModelOptions& options) : options_(options) {}

  /// Makes room for `rows` rows; their values are undefined.
  void resize(std::int64_t rows);

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  /// (rows, d_model)
  [[nodiscard]] float* values() const { return values_.data(); }

  /// Sets values[i] to the embedding of subword ids[i] times the table's factor, plus the vector of position
  /// positions[i], which must be within reach of `vectors`.
  void embed(const EmbeddingWeights& embedding, const std::int64_t* ids, const PositionVectors& vectors,
             const std::int64_t* positions);

  /// Adds a sub-layer with its residual connection (paper, section 3.1; pre-norm: Xiong et al. 2020, figure 1).
  /// sublayer(from, to) takes rows of d_model floats and must not change `from`.
  template <class Sublayer>
  void add_sublayer(const NormWeights& norm, const Sublayer& sublayer) {
    const auto size = rows_ * options_.d_model;
    const bool pre = options_.norm == NormPlacement::kPre;
    if (pre) {
      norm.apply(rows_, values(), normed_.data());
    }
    sublayer(pre ? normed_.data() : values(), added_.data());
    add_row(added_.data(), values(), size);
    if (!pre) {
      norm.apply(rows_, values(), values());
    }
  }

  void add_feed_forward(const FeedForwardWeights& weights);

  /// Applies the final norm of a stack, if there is one.
  void finish(const NormWeights& norm);

  /// Scratch memory for attention: (rows, 3 d_model) and (rows, d_model).
  [[nodiscard]] float* projected() const { return projected_.data(); }
  [[nodiscard]] float* joined() const { return joined_.data(); }

 private:
  ModelOptions options_;
  std::int64_t rows_ = 0;
  FloatBuffer values_;
  FloatBuffer normed_;
  FloatBuffer added_;
  FloatBuffer projected_;
  FloatBuffer joined_;
  FloatBuffer inner_;  // of the feed-forward block
};

}  // namespace translate
