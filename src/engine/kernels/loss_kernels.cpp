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

constexpr std::int64_t kRowsAtATime = 4 * kTileRows;  // their features stay in the first-level cache
static_assert(kRowsAtATime % 2 == 0, "in bf16 a term holds two rows");

/// The state of one call of project_exponentials.
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
  /// Writes the exponentials of `count` rows for the classes [begin, end), which are one block of the classes.
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

  /// Adds the exponentials times the weights of the block of classes that starts at `begin`.
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
  std::int64_t block_;  // the block of rows of the exponentials
  ConstRows features_;  // as terms of a left factor
  float* lanes_;        // partial sums
  Rows logits_;         // of some rows and a block of classes, until they are complete
  Rows left_;           // exponentials of some rows and a block of classes, as terms
};

}  // namespace

void project_exponentials(const ProjectionFactors& factors, const ProjectedRows& rows,
                          const PackedMatrix& exponentials) {
  Projection(factors, rows, exponentials).run();
}

namespace {

TRANSLATE_VECTOR_CLONES
Two largest_of_both(const float* first, const float* second, std::int64_t size) {
  float largest = -std::numeric_limits<float>::infinity();
  float other_largest = largest;
#pragma omp simd reduction(max : largest, other_largest)
  for (std::int64_t i = 0; i < size; ++i) {
    largest = first[i] > largest ? first[i] : largest;
    other_largest = second[i] > other_largest ? second[i] : other_largest;
  }
  return {.first = largest, .second = other_largest};
}

struct PairSums {
  Two exponential;  ///< sums of e^(logit - maximum)
  Two difference;   ///< sums of e^(logit - maximum) times the difference of the logits
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
  return {.exponential = {sum, other_sum}, .difference = {weighted, other_weighted}};
}

/// The values from which the gradients of a pair of rows are computed.
struct GradientTerms {
  Two normaliser;
  Two divergence;  ///< KL(p, q) and KL(q, p)
  Two shares;
  Two weights;  ///< of the divergences
};

TRANSLATE_VECTOR_CLONES
void write_gradients(float* first, float* second, std::int64_t size, GradientTerms terms) {
  const float offset = terms.normaliser.first - terms.normaliser.second;
  for (std::int64_t i = 0; i < size; ++i) {
    const float p = exp_of_nonpositive(first[i] - terms.normaliser.first);
    const float q = exp_of_nonpositive(second[i] - terms.normaliser.second);
    const float d = first[i] - second[i] - offset;
    const float difference = p - q;
    first[i] = terms.shares.first * p + terms.weights.first * (p * (d - terms.divergence.first)) +
               terms.weights.second * difference;
    second[i] = terms.shares.second * q - terms.weights.second * (q * (d + terms.divergence.second)) -
                terms.weights.first * difference;
  }
}

}  // namespace

TwoPassRows two_pass_rows(float* first, float* second, std::int64_t size, TwoPassFactors factors) {
  const auto& shares = factors.shares;
  const auto maximum = largest_of_both(first, second, size);
  const auto sums = pair_sums(first, second, size, maximum);
  const Two normaliser{maximum.first + std::log(sums.exponential.first),
                       maximum.second + std::log(sums.exponential.second)};
  const float offset = normaliser.first - normaliser.second;
  const Two divergence{sums.difference.first / sums.exponential.first - offset,
                       offset - sums.difference.second / sums.exponential.second};
  write_gradients(first, second, size,
                  {.normaliser = normaliser,
                   .divergence = divergence,
                   .shares = shares,
                   .weights = {factors.weight * shares.first, factors.weight * shares.second}});
  return {.normaliser = normaliser, .divergence = shares.first * divergence.first + shares.second * divergence.second};
}

}  // namespace translate
