#include "translate/kernels/projected_exponentials.h"

#include <algorithm>
#include <numeric>

#include "translate/kernels/bfloat16.h"
#include "translate/kernels/matrix_product.h"
#include "translate/kernels/tile_loops.h"

namespace translate {
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

}  // namespace translate
