#include "kernels/loss_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/exponential.h"
#include "kernels/matrix/matrix_product.h"
#include "kernels/matrix/packed_matrix.h"
#include "kernels/matrix/tile_loops.h"

namespace translate {

namespace {

struct RowStatistics {
  float maximum;
  float sum;
};

TRANSLATE_VECTOR_CLONES
RowStatistics row_statistics(const float* row, std::int64_t size) {
  float maximum = -std::numeric_limits<float>::infinity();
  float sum = 0.0F;
#pragma omp simd reduction(max : maximum) reduction(+ : sum)
  for (std::int64_t i = 0; i < size; ++i) {
    maximum = row[i] > maximum ? row[i] : maximum;
    sum += row[i];
  }
  return {.maximum = maximum, .sum = sum};
}

/// Overwrites the row with e^(value - maximum) and returns their sum.
TRANSLATE_VECTOR_CLONES
float exponentiate(float* row, std::int64_t size, float maximum) {
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < size; ++i) {
    const float value = exp_of_nonpositive(row[i] - maximum);
    row[i] = value;
    sum += value;
  }
  return sum;
}

TRANSLATE_VECTOR_CLONES
void scale_and_shift(float* row, std::int64_t size, float factor, float shift) {
  for (std::int64_t i = 0; i < size; ++i) {
    row[i] = row[i] * factor - shift;
  }
}

}  // namespace

RowLoss softmax_cross_entropy_row(float* row, std::int64_t size, std::int64_t label, float smoothing,
                                  bool write_gradient) {
  const auto classes = static_cast<float>(size);
  const float at_label = row[label];
  const auto [maximum, sum] = row_statistics(row, size);
  const float normaliser = exponentiate(row, size, maximum);
  const float log_normaliser = maximum + std::log(normaliser);
  if (write_gradient) {
    scale_and_shift(row, size, 1.0F / normaliser, smoothing / classes);
    row[label] -= 1.0F - smoothing;
  }
  const float plain = log_normaliser - at_label;
  return {.smoothed = (1.0F - smoothing) * plain + smoothing * (log_normaliser - sum / classes), .plain = plain};
}

namespace {

constexpr std::int64_t kRowsAtATime = 4 * kTileRows;  // whose features stay in the first-level cache
static_assert(kRowsAtATime % 2 == 0, "in bf16 two rows make a term");

/// The state of one project_exponentials.
class Projection {
 public:
  Projection(const ProjectionFactors& factors, const ProjectedRows& rows, const PackedMatrix& exponentials)
      : factors_(factors),
        rows_(rows),
        exponentials_(exponentials),
        type_(factors.to_classes.type()),
        loops_(tile_loops(type_)),
        block_(rows.first / kDepthBlock * kDepthBlock) {
    thread_local FloatBuffer features;
    thread_local FloatBuffer scratch;
    features_ = left_terms(type_, rows.features, rows.count, factors.to_classes.depth(), features);
    lanes_ = scratch.take(rows.count * kSumLanes + 2 * kRowsAtATime * kDepthBlock);
    logits_ = {lanes_ + rows.count * kSumLanes, kDepthBlock};
    left_ = {logits_.data + kRowsAtATime * kDepthBlock, kDepthBlock};
  }

  void run() {
    std::fill_n(lanes_, rows_.count * kSumLanes, 0.0F);
    const auto classes = factors_.to_classes.columns();
    for (std::int64_t begin = 0; begin < classes; begin += kDepthBlock) {
      for (std::int64_t row = 0; row < rows_.count; row += kRowsAtATime) {
        const auto count = std::min(kRowsAtATime, rows_.count - row);
        exponentiate(row, count, begin, std::min(begin + kDepthBlock, classes));
        add_weighted(row, count, begin);
      }
    }
    for (std::int64_t row = 0; row < rows_.count; ++row) {
      rows_.sums[row] = std::accumulate(lanes_ + row * kSumLanes, lanes_ + (row + 1) * kSumLanes, 0.0F);
    }
  }

 private:
  /// The exponentials of `count` rows and classes [begin, end), one block of the classes.
  void exponentiate(std::int64_t row, std::int64_t count, std::int64_t begin, std::int64_t end) {
    const auto& right = factors_.to_classes;
    const auto first_term = terms_of(rows_.first - block_ + row, type_);
    for (std::int64_t depth = 0; depth < right.depth(); depth += kDepthBlock) {
      loops_.exponentiate(count,
                          {.terms = right.block_terms(depth),
                           .left = {features_.data + row * features_.stride + terms_of(depth, type_), features_.stride},
                           .right = {right.panel(depth, begin), whole_panels(end - begin) / kPanelWidth,
                                     right.to_next_panel(depth), kPanelWidth},
                           .bias = factors_.bias + begin,
                           .shifts = rows_.shifts + row,
                           .lanes = lanes_ + row * kSumLanes,
                           .is_first = depth == 0,
                           .is_last = depth + kDepthBlock >= right.depth(),
                           .logits = logits_,
                           .rows = left_,
                           .panels = exponentials_.panel(block_, begin) + first_term * kPanelWidth,
                           .to_next_panel = exponentials_.to_next_panel(block_)});
    }
  }

  /// Adds exponentials times weights of the classes in the block that starts at `begin`.
  void add_weighted(std::int64_t row, std::int64_t count, std::int64_t begin) {
    const auto& right = factors_.to_features;
    const auto& out = rows_.weighted_features;
    loops_.multiply(
        count, right.block_terms(begin), {left_.data, left_.stride, 1},
        {right.panel(begin, 0), whole_panels(right.columns()) / kPanelWidth, right.to_next_panel(begin), kPanelWidth},
        {out.data + row * out.stride, out.stride}, {.add = begin > 0});
  }

  const ProjectionFactors& factors_;
  const ProjectedRows& rows_;
  const PackedMatrix& exponentials_;
  FactorType type_;
  const TileLoops& loops_;
  std::int64_t block_;  // of depths of the exponentials
  ConstRows features_;  // terms
  float* lanes_;        // partial sums
  Rows logits_;         // of some rows and a block of classes, before they are complete
  Rows left_;           // exponentials of some rows and a block of classes: terms
};

}  // namespace

void project_exponentials(const ProjectionFactors& factors, const ProjectedRows& rows,
                          const PackedMatrix& exponentials) {
  Projection(factors, rows, exponentials).run();
}

namespace {

/// Of a pair of rows, first and second.
struct Two {
  float first;
  float second;
};

struct PairStatistics {
  Two maximum;
  float sum;  ///< over both rows
};

TRANSLATE_VECTOR_CLONES
PairStatistics pair_statistics(const float* first, const float* second, std::int64_t size) {
  float highest = -std::numeric_limits<float>::infinity();
  float other_highest = highest;
  float sum = 0.0F;
#pragma omp simd reduction(max : highest, other_highest) reduction(+ : sum)
  for (std::int64_t i = 0; i < size; ++i) {
    highest = first[i] > highest ? first[i] : highest;
    other_highest = second[i] > other_highest ? second[i] : other_highest;
    sum += first[i] + second[i];
  }
  return {.maximum = {highest, other_highest}, .sum = sum};
}

struct PairSums {
  Two normaliser;  ///< sum of exponentials
  Two difference;  ///< sum of exponential times difference of the logits
};

TRANSLATE_VECTOR_CLONES
PairSums pair_sums(const float* first, const float* second, std::int64_t size, Two maximum) {
  float sum = 0.0F;
  float other_sum = 0.0F;
  float weighted = 0.0F;
  float other_weighted = 0.0F;
#pragma omp simd reduction(+ : sum, other_sum, weighted, other_weighted)
  for (std::int64_t i = 0; i < size; ++i) {
    const float p = exp_of_nonpositive(first[i] - maximum.first);
    const float q = exp_of_nonpositive(second[i] - maximum.second);
    const float difference = first[i] - second[i];
    sum += p;
    other_sum += q;
    weighted += p * difference;
    other_weighted += q * difference;
  }
  return {.normaliser = {sum, other_sum}, .difference = {weighted, other_weighted}};
}

/// What a gradient is made with, but for what stands at the label.
struct GradientTerms {
  Two log_normaliser;
  Two divergence;  ///< KL(p, q), KL(q, p)
  float weight;    ///< half the divergence's
  float everywhere;
};

TRANSLATE_VECTOR_CLONES
void write_gradients(float* first, float* second, std::int64_t size, GradientTerms terms) {
  const float offset = terms.log_normaliser.first - terms.log_normaliser.second;
  for (std::int64_t i = 0; i < size; ++i) {
    const float p = exp_of_nonpositive(first[i] - terms.log_normaliser.first);
    const float q = exp_of_nonpositive(second[i] - terms.log_normaliser.second);
    const float d = first[i] - second[i] - offset;
    const float both = p - q;
    first[i] = 0.5F * p + terms.weight * (p * (d - terms.divergence.first) + both) - terms.everywhere;
    second[i] = 0.5F * q - terms.weight * (q * (d + terms.divergence.second) + both) - terms.everywhere;
  }
}

}  // namespace

PairLoss pair_loss_rows(float* first, float* second, std::int64_t size, std::int64_t label,
                        const PairLossSettings& settings) {
  const auto classes = static_cast<float>(size);
  const float at_label = 0.5F * (first[label] + second[label]);
  const auto [maximum, sum] = pair_statistics(first, second, size);
  const auto sums = pair_sums(first, second, size, maximum);
  const Two log_normaliser{maximum.first + std::log(sums.normaliser.first),
                           maximum.second + std::log(sums.normaliser.second)};
  const float offset = log_normaliser.first - log_normaliser.second;
  const Two divergence{sums.difference.first / sums.normaliser.first - offset,
                       offset - sums.difference.second / sums.normaliser.second};
  write_gradients(first, second, size,
                  {.log_normaliser = log_normaliser,
                   .divergence = divergence,
                   .weight = 0.5F * settings.weight,
                   .everywhere = 0.5F * settings.smoothing / classes});
  first[label] -= 0.5F * (1.0F - settings.smoothing);
  second[label] -= 0.5F * (1.0F - settings.smoothing);
  const float mean_normaliser = 0.5F * (log_normaliser.first + log_normaliser.second);
  const float plain = mean_normaliser - at_label;
  const float uniform = mean_normaliser - 0.5F * sum / classes;
  return {.smoothed = (1.0F - settings.smoothing) * plain + settings.smoothing * uniform,
          .plain = plain,
          .divergence = 0.5F * (divergence.first + divergence.second)};
}

}  // namespace translate
