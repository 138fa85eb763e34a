#include "kernels/attention_kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/processor.h"
#include "kernels/exponential.h"

namespace translate {

namespace {

// Scores are transposed, (S, T): with a row for each key and the queries in the lanes of vectors, a softmax runs down
// the rows, one vector operation after the other. Nothing is summed across the lanes of a vector, which would take
// longer than all the rest for sentences of a usual length.

constexpr std::int64_t kLanes = 8;
constexpr float kLowest = -3e38F;  // the score of a key that is not attended to

/// A vector of plain numbers, one for each of 8 queries.
using Lanes = std::array<float, kLanes>;

void softmax_lanes_plainly(float* scores, std::int64_t keys, std::int64_t width, float scale, std::int64_t query,
                           bool causal) {
  const auto sees = [&](std::int64_t key, std::size_t lane) {
    return !causal || key <= query + static_cast<std::int64_t>(lane);
  };
  Lanes largest;
  largest.fill(kLowest);
  for (std::int64_t key = 0; key < keys; ++key) {
    float* row = scores + key * width;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      row[lane] = sees(key, lane) ? row[lane] * scale : kLowest;
      largest[lane] = row[lane] > largest[lane] ? row[lane] : largest[lane];
    }
  }
  Lanes sums{};
  for (std::int64_t key = 0; key < keys; ++key) {
    float* row = scores + key * width;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float weight = exponential(row[lane] - largest[lane]);
      row[lane] = sees(key, lane) ? weight : 0.0F;
      sums[lane] += row[lane];
    }
  }
  for (std::int64_t key = 0; key < keys; ++key) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      scores[key * width + static_cast<std::int64_t>(lane)] /= sums[lane];
    }
  }
}

void softmax_lanes_backward_plainly(const float* weights, float* gradients, std::int64_t keys, std::int64_t width,
                                    float scale) {
  Lanes sums{};
  for (std::int64_t row = 0; row < keys * width; row += width) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      sums[static_cast<std::size_t>(lane)] += weights[row + lane] * gradients[row + lane];
    }
  }
  for (std::int64_t row = 0; row < keys * width; row += width) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const float gradient = gradients[row + lane] - sums[static_cast<std::size_t>(lane)];
      gradients[row + lane] = weights[row + lane] * gradient * scale;
    }
  }
}

#if TRANSLATE_HAS_AVX2_CODE

/// Returns which of the queries [query, query + 8) may attend to `key` under a causal mask: all bits of a lane.
TRANSLATE_AVX2 inline __m256 sees(std::int64_t key, std::int64_t query) {
  const __m256i queries =
      _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(query)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  return _mm256_castsi256_ps(_mm256_cmpgt_epi32(queries, _mm256_set1_epi32(static_cast<int>(key) - 1)));
}

TRANSLATE_AVX2 void softmax_lanes_avx2(float* scores, std::int64_t keys, std::int64_t width, float scale,
                                       std::int64_t query, bool causal) {
  const __m256 factor = _mm256_set1_ps(scale);
  const __m256 lowest = _mm256_set1_ps(kLowest);
  __m256 maximum = lowest;
  for (std::int64_t key = 0; key < keys; ++key) {
    __m256 score = _mm256_mul_ps(_mm256_loadu_ps(scores + key * width), factor);
    if (causal && key > query) {
      score = _mm256_blendv_ps(lowest, score, sees(key, query));
    }
    _mm256_storeu_ps(scores + key * width, score);
    maximum = _mm256_max_ps(score, maximum);
  }
  __m256 sum = _mm256_setzero_ps();
  for (std::int64_t key = 0; key < keys; ++key) {
    __m256 weight = exponential(_mm256_sub_ps(_mm256_loadu_ps(scores + key * width), maximum));
    if (causal && key > query) {
      weight = _mm256_and_ps(weight, sees(key, query));
    }
    _mm256_storeu_ps(scores + key * width, weight);
    sum = _mm256_add_ps(sum, weight);
  }
  const __m256 inverse = _mm256_div_ps(_mm256_set1_ps(1.0F), sum);
  for (std::int64_t key = 0; key < keys; ++key) {
    _mm256_storeu_ps(scores + key * width, _mm256_mul_ps(_mm256_loadu_ps(scores + key * width), inverse));
  }
}

TRANSLATE_AVX2 void softmax_lanes_backward_avx2(const float* weights, float* gradients, std::int64_t keys,
                                                std::int64_t width, float scale) {
  __m256 sum = _mm256_setzero_ps();
  for (std::int64_t i = 0; i < keys * width; i += width) {
    sum = _mm256_fmadd_ps(_mm256_loadu_ps(weights + i), _mm256_loadu_ps(gradients + i), sum);
  }
  const __m256 factor = _mm256_set1_ps(scale);
  for (std::int64_t i = 0; i < keys * width; i += width) {
    const __m256 gradient = _mm256_sub_ps(_mm256_loadu_ps(gradients + i), sum);
    _mm256_storeu_ps(gradients + i, _mm256_mul_ps(_mm256_mul_ps(_mm256_loadu_ps(weights + i), gradient), factor));
  }
}

#endif

/// Turns scores (keys, width) of 8 queries into weights, in place.
void softmax_lanes(float* scores, std::int64_t keys, std::int64_t width, float scale, std::int64_t query, bool causal) {
#if TRANSLATE_HAS_AVX2_CODE
  if (has_avx2_kernels()) {
    return softmax_lanes_avx2(scores, keys, width, scale, query, causal);
  }
#endif
  softmax_lanes_plainly(scores, keys, width, scale, query, causal);
}

/// gradients = weights * (gradients - sum over the keys of weights * gradients) * scale: the backward pass of softmax
/// and scaling.
void softmax_lanes_backward(const float* weights, float* gradients, std::int64_t keys, std::int64_t width,
                            float scale) {
#if TRANSLATE_HAS_AVX2_CODE
  if (has_avx2_kernels()) {
    return softmax_lanes_backward_avx2(weights, gradients, keys, width, scale);
  }
#endif
  softmax_lanes_backward_plainly(weights, gradients, keys, width, scale);
}

/// Copies `count` rows of `width` floats. The rows are short, and std::copy_n would call a function for each.
TRANSLATE_VECTOR_CLONES
void copy_rows(const ConstRows& from, std::int64_t count, std::int64_t width, const Rows& to) {
  const auto [source, source_stride] = from;
  const auto [target, target_stride] = to;
  for (std::int64_t row = 0; row < count; ++row) {
    const float* x = source + row * source_stride;
    float* y = target + row * target_stride;
#pragma omp simd
    for (std::int64_t i = 0; i < width; ++i) {
      y[i] = x[i];
    }
  }
}

/// The matrices of one head. Those that are read or written in whole panels are used in place if the width of the heads
/// is a multiple of a panel's; otherwise they are copied, and each row is filled up with zeros.
class Head {
 public:
  explicit Head(const AttentionShape& shape)
      : shape_(shape),
        width_(whole_panels(shape.head_width)),
        queries_(whole_panels(shape.queries)),
        copies_(width_ != shape.head_width) {
    thread_local FloatBuffer memory;
    next_ = memory.take((2 * queries_ + 3 * std::max(shape.queries, shape.keys) + 2 * shape.keys) * width_ +
                        3 * shape.keys * queries_);
    panels = take(queries_ * width_);
    weights = take(shape.keys * queries_);
    dropped = take(shape.keys * queries_);
    gradients = take(shape.keys * queries_);
  }

  /// Returns the rows of head `head`, in whole panels.
  ConstRows rows(const ConstRows& all, std::int64_t head, std::int64_t count) {
    const ConstRows own{all.data + head * shape_.head_width, all.stride};
    if (!copies_) {
      return own;
    }
    float* copy = take(count * width_);
    std::fill_n(copy, count * width_, 0.0F);
    copy_rows(own, count, shape_.head_width, {copy, width_});
    return {copy, width_};
  }

  /// Lets `compute` write the rows of head `head` in whole panels.
  template <class Compute>
  void write(const Rows& all, std::int64_t head, std::int64_t count, const Compute& compute) {
    const Rows own{all.data + head * shape_.head_width, all.stride};
    if (!copies_) {
      return compute(own);
    }
    float* copy = take(count * width_);
    compute(Rows{copy, width_});
    copy_rows({copy, width_}, count, shape_.head_width, own);
    next_ = copy;
  }

  /// out (S, T) = left (S, d_k) times the transpose of right (T, d_k).
  void times_transposed(const ConstRows& left, const ConstRows& right, float* out) const {
    for (std::int64_t row = 0; row < shape_.queries; row += kPanelWidth) {
      transpose_to_panel({right.data + row * right.stride, right.stride}, std::min(kPanelWidth, shape_.queries - row),
                         width_, panels + row * width_);
    }
    multiply_small({shape_.keys, queries_, width_}, {left.data, left.stride, 1},
                   {panels, kPanelWidth * width_, kPanelWidth}, {out, queries_});
  }
  /// out (T, d_k) = the transpose of left (S, T) times right (S, d_k).
  void transposed_times(const float* left, const ConstRows& right, const Rows& out) const {
    multiply_small({shape_.queries, width_, shape_.keys}, {left, 1, queries_}, {right.data, kPanelWidth, right.stride},
                   out);
  }
  /// out (S, d_k) = left (S, T) times right (T, d_k).
  void times(const float* left, const ConstRows& right, const Rows& out) const {
    multiply_small({shape_.keys, width_, shape_.queries}, {left, queries_, 1}, {right.data, kPanelWidth, right.stride},
                   out);
  }

  /// weights = softmax(query key^T / sqrt(d_k)), transposed; dropped = the weights after dropout.
  void compute_weights(const ConstRows& query, const ConstRows& key, const AttentionDropout& dropout,
                       std::int64_t head) {
    times_transposed(key, query, weights);
    for (std::int64_t lane = 0; lane < shape_.queries; lane += kLanes) {
      softmax_lanes(weights + lane, shape_.keys, queries_, scale(), lane, shape_.causal);
    }
    if (dropout.mask.probability > 0.0) {
      std::copy_n(weights, shape_.keys * queries_, dropped);
      apply_dropout(dropout, head, dropped);
    } else {
      dropped = weights;
    }
  }
  void apply_dropout(const AttentionDropout& dropout, std::int64_t head, float* values) const {
    const auto first = dropout.first + head * dropout.to_head;
    for (std::int64_t key = 0; key < shape_.keys; ++key) {
      apply_mask(dropout.mask, first + key, {values + key * queries_, static_cast<std::size_t>(shape_.queries)},
                 dropout.to_query);
    }
  }
  /// Turns the gradients of the dropped weights into those of the products of query and key.
  void weights_backward(const AttentionDropout& dropout, std::int64_t head) const {
    if (dropout.mask.probability > 0.0) {
      apply_dropout(dropout, head, gradients);
    }
    for (std::int64_t lane = 0; lane < shape_.queries; lane += kLanes) {
      softmax_lanes_backward(weights + lane, gradients + lane, shape_.keys, queries_, scale());
    }
  }

  float* panels;     ///< room for a transposed factor
  float* weights;    ///< (S, T)
  float* dropped;    ///< (S, T)
  float* gradients;  ///< (S, T)

 private:
  [[nodiscard]] float scale() const { return 1.0F / std::sqrt(static_cast<float>(shape_.head_width)); }
  float* take(std::int64_t size) {
    float* const taken = next_;
    next_ += size;
    return taken;
  }

  AttentionShape shape_;
  std::int64_t width_;    // d_k in whole panels
  std::int64_t queries_;  // T in whole panels
  bool copies_;
  float* next_;
};

}  // namespace

void attention_forward(const AttentionShape& shape, const AttentionInput& input, const AttentionDropout& dropout,
                       const Rows& out) {
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    Head matrices(shape);
    const auto query = matrices.rows(input.query, head, shape.queries);
    const auto key = matrices.rows(input.key, head, shape.keys);
    const auto value = matrices.rows(input.value, head, shape.keys);
    matrices.compute_weights(query, key, dropout, head);
    matrices.write(out, head, shape.queries,
                   [&](const Rows& rows) { matrices.transposed_times(matrices.dropped, value, rows); });
  }
}

void attention_backward(const AttentionShape& shape, const AttentionInput& input, const AttentionDropout& dropout,
                        const ConstRows& gradient, const AttentionGradients& gradients) {
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    Head matrices(shape);
    const auto query = matrices.rows(input.query, head, shape.queries);
    const auto key = matrices.rows(input.key, head, shape.keys);
    const auto value = matrices.rows(input.value, head, shape.keys);
    const auto from = matrices.rows(gradient, head, shape.queries);
    matrices.compute_weights(query, key, dropout, head);
    matrices.write(gradients.value, head, shape.keys,
                   [&](const Rows& rows) { matrices.times(matrices.dropped, from, rows); });
    matrices.times_transposed(value, from, matrices.gradients);
    matrices.weights_backward(dropout, head);
    matrices.write(gradients.query, head, shape.queries,
                   [&](const Rows& rows) { matrices.transposed_times(matrices.gradients, key, rows); });
    matrices.write(gradients.key, head, shape.keys,
                   [&](const Rows& rows) { matrices.times(matrices.gradients, query, rows); });
  }
}

}  // namespace translate
