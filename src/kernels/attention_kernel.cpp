#include "translate/kernels/attention_kernel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "translate/kernels/exponential.h"
#include "translate/kernels/vector_clones.h"

namespace translate {
namespace {

/// One row of scores to weights; `keep` holds whole panels.
TRANSLATE_VECTOR_CLONES
void softmax_row(float* scores, const float* keep, std::int64_t count, float scale) {
  float maximum = -std::numeric_limits<float>::infinity();
#pragma omp simd reduction(max : maximum)
  for (std::int64_t i = 0; i < count; ++i) {
    const float score = keep[i] > 0.0F ? scores[i] * scale : -std::numeric_limits<float>::infinity();
    maximum = score > maximum ? score : maximum;
  }
  if (maximum == -std::numeric_limits<float>::infinity()) {
    std::fill_n(scores, count, 0.0F);
    return;
  }
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) {
    const float weight = keep[i] > 0.0F ? exp_of_nonpositive(scores[i] * scale - maximum) : 0.0F;
    scores[i] = weight;
    sum += weight;
  }
  const float factor = 1.0F / sum;
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    scores[i] *= factor;
  }
}

/// slopes = weights * (slopes - sum of weights * slopes) * scale: through the softmax and the scaling.
TRANSLATE_VECTOR_CLONES
void softmax_row_backward(const float* weights, float* slopes, std::int64_t count, float scale) {
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) {
    sum += weights[i] * slopes[i];
  }
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) {
    slopes[i] = weights[i] * (slopes[i] - sum) * scale;
  }
}

/// Copies `count` rows of `width` floats; these are short, and std::copy_n would call a function for each.
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

/// The matrices of one head, each row filled up to whole panels with zeros so that products read and write whole tiles.
class Head {
 public:
  Head(const AttentionShape& shape, FloatBuffer& memory)
      : shape_(shape), width_(whole_panels(shape.head_width)), keys_(whole_panels(shape.keys)) {
    next_ = memory.take(5 * rows_of_queries() + 6 * rows_of_keys() + 3 * shape.queries * keys_);
    query = take(rows_of_queries());
    key = take(rows_of_keys());
    value = take(rows_of_keys());
    key_panels = take(rows_of_keys());
    value_panels = take(rows_of_keys());
    weights = take(shape.queries * keys_);
    dropped = take(shape.queries * keys_);
    slopes = take(shape.queries * keys_);
    result = take(rows_of_queries());
    slope = take(rows_of_queries());
    key_result = take(rows_of_keys());
  }

  /// Copies `count` rows of head `head`.
  void load(const ConstRows& from, std::int64_t head, std::int64_t count, float* to) const {
    copy_rows({from.data + head * shape_.head_width, from.stride}, count, shape_.head_width, {to, width_});
    if (width_ > shape_.head_width) {
      for (std::int64_t row = 0; row < count; ++row) {
        std::fill_n(to + row * width_ + shape_.head_width, width_ - shape_.head_width, 0.0F);
      }
    }
  }
  void store(const float* from, std::int64_t head, std::int64_t count, const Rows& to) const {
    copy_rows({from, width_}, count, shape_.head_width, {to.data + head * shape_.head_width, to.stride});
  }
  /// Keys or values, with rows of zeros up to whole panels, and as panels.
  void load_keys(const ConstRows& from, std::int64_t head, float* to, float* panels) const {
    load(from, head, shape_.keys, to);
    std::fill_n(to + shape_.keys * width_, (keys_ - shape_.keys) * width_, 0.0F);
    for (std::int64_t row = 0; row < keys_; row += kPanelWidth) {
      transpose_to_panel({to + row * width_, width_}, kPanelWidth, width_, panels + row * width_);
    }
  }

  /// out (T, keys) = rows (T, d_k) times the transpose of what `panels` was made from.
  void times_panels(const float* rows, const float* panels, float* out) const {
    multiply_small({shape_.queries, keys_, width_}, {rows, width_, 1}, {panels, kPanelWidth * width_, kPanelWidth},
                   {out, keys_});
  }
  /// out (T, d_k) = weights (T, S) times rows (S, d_k).
  void times_rows(const float* left, const float* rows, float* out) const {
    multiply_small({shape_.queries, width_, shape_.keys}, {left, keys_, 1}, {rows, kPanelWidth, width_}, {out, width_});
  }
  /// out (S, d_k) = the transpose of left (T, S) times rows (T, d_k).
  void transposed_times_rows(const float* left, const float* rows, float* out) const {
    multiply_small({shape_.keys, width_, shape_.queries}, {left, 1, keys_}, {rows, kPanelWidth, width_}, {out, width_});
  }

  /// weights = softmax(query key^T / sqrt(d_k)); dropped = what dropout leaves of them.
  void compute_weights(const AttentionMask& mask, const AttentionDropout& dropout, std::int64_t head) {
    times_panels(query, key_panels, weights);
    for (std::int64_t row = 0; row < shape_.queries; ++row) {
      softmax_row(weights + row * keys_, mask.keep + row * mask.row_stride, keys_, scale());
    }
    if (dropout.mask.probability > 0.0) {
      std::copy_n(weights, shape_.queries * keys_, dropped);
      apply_dropout(dropout, head, dropped);
    } else {
      dropped = weights;
    }
  }
  void apply_dropout(const AttentionDropout& dropout, std::int64_t head, float* rows) const {
    for (std::int64_t row = 0; row < shape_.queries; ++row) {
      apply_mask(dropout.mask, dropout.first + (head * shape_.queries + row) * shape_.keys,
                 {rows + row * keys_, static_cast<std::size_t>(shape_.keys)});
    }
  }
  /// slopes, of the dropped weights, become those of the products of query and key.
  void weights_backward(const AttentionDropout& dropout, std::int64_t head) const {
    if (dropout.mask.probability > 0.0) {
      apply_dropout(dropout, head, slopes);
    }
    for (std::int64_t row = 0; row < shape_.queries; ++row) {
      softmax_row_backward(weights + row * keys_, slopes + row * keys_, keys_, scale());
    }
  }

  float* query;         ///< (T, d_k)
  float* key;           ///< (S, d_k)
  float* value;         ///< (S, d_k)
  float* key_panels;    ///< the keys as the right factor of query key^T
  float* value_panels;  ///< likewise
  float* weights;       ///< (T, S)
  float* dropped;       ///< (T, S)
  float* slopes;        ///< (T, S)
  float* result;        ///< (T, d_k)
  float* slope;         ///< (T, d_k)
  float* key_result;    ///< (S, d_k)

 private:
  [[nodiscard]] std::int64_t rows_of_queries() const { return shape_.queries * width_; }
  [[nodiscard]] std::int64_t rows_of_keys() const { return keys_ * width_; }
  [[nodiscard]] float scale() const { return 1.0F / std::sqrt(static_cast<float>(shape_.head_width)); }
  float* take(std::int64_t size) {
    float* const taken = next_;
    next_ += size;
    return taken;
  }

  AttentionShape shape_;
  std::int64_t width_;  // d_k in whole panels
  std::int64_t keys_;   // S in whole panels
  float* next_;
};

FloatBuffer& head_memory() {
  thread_local FloatBuffer memory;
  return memory;
}

}  // namespace

void attention_forward(const AttentionShape& shape, const AttentionInput& input, const AttentionMask& mask,
                       const AttentionDropout& dropout, const Rows& out) {
  Head matrices(shape, head_memory());
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    matrices.load(input.query, head, shape.queries, matrices.query);
    matrices.load_keys(input.key, head, matrices.key, matrices.key_panels);
    matrices.load(input.value, head, shape.keys, matrices.value);
    matrices.compute_weights(mask, dropout, head);
    matrices.times_rows(matrices.dropped, matrices.value, matrices.result);
    matrices.store(matrices.result, head, shape.queries, out);
  }
}

void attention_backward(const AttentionShape& shape, const AttentionInput& input, const AttentionMask& mask,
                        const AttentionDropout& dropout, const ConstRows& slope, const AttentionSlopes& slopes) {
  Head matrices(shape, head_memory());
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    matrices.load(input.query, head, shape.queries, matrices.query);
    matrices.load(slope, head, shape.queries, matrices.slope);
    matrices.load_keys(input.key, head, matrices.key, matrices.key_panels);
    matrices.load_keys(input.value, head, matrices.value, matrices.value_panels);
    matrices.compute_weights(mask, dropout, head);
    matrices.transposed_times_rows(matrices.dropped, matrices.slope, matrices.key_result);
    matrices.store(matrices.key_result, head, shape.keys, slopes.value);
    matrices.times_panels(matrices.slope, matrices.value_panels, matrices.slopes);
    matrices.weights_backward(dropout, head);
    matrices.times_rows(matrices.slopes, matrices.key, matrices.result);
    matrices.store(matrices.result, head, shape.queries, slopes.query);
    matrices.transposed_times_rows(matrices.slopes, matrices.query, matrices.key_result);
    matrices.store(matrices.key_result, head, shape.keys, slopes.key);
  }
}

}  // namespace translate
