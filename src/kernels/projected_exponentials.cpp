#include "translate/kernels/projected_exponentials.h"

#include <algorithm>
#include <numeric>

#include "translate/kernels/matrix_product.h"
#include "translate/kernels/tile.h"
#include "translate/kernels/vector_exponential.h"

namespace translate {
namespace {

constexpr std::int64_t kLanes = 8;                    // partial sums of a row
constexpr std::int64_t kRowsAtATime = 8 * kTileRows;  // whose features stay in the first-level cache

/// What a tile of exponentials is made with.
struct TileTask {
  std::int64_t depth;  ///< of this block of features
  ConstRows features;
  const float* panel;
  const float* bias;
  float* out;  ///< rows of a panel
  const float* shifts;
  float* lanes;   ///< partial sums
  bool is_first;  ///< of the blocks of features: the sums start from the bias
  bool is_last;   ///< the sums are logits now
};

#if TRANSLATE_HAS_AVX2_CODE

template <int kRows>
TRANSLATE_TILE void exponential_tile(const TileTask& task) {
  tile::Sums<kRows> sums;
  if (task.is_first) {
    tile::load(task.bias, 0, sums);
  } else {
    tile::load(task.out, kPanelWidth, sums);
  }
  tile::accumulate(task.depth, task.features.data, task.features.stride, 1, task.panel, kPanelWidth, sums);
  if (task.is_last) {
#pragma GCC unroll 6
    for (int i = 0; i < kRows; ++i) {
      const __m256 shift = _mm256_broadcast_ss(task.shifts + i);
      sums.at[i][0] = exponential(_mm256_sub_ps(sums.at[i][0], shift));
      sums.at[i][1] = exponential(_mm256_sub_ps(sums.at[i][1], shift));
      float* lanes = task.lanes + i * kLanes;
      const __m256 both = _mm256_add_ps(sums.at[i][0], sums.at[i][1]);
      _mm256_storeu_ps(lanes, _mm256_add_ps(_mm256_loadu_ps(lanes), both));
    }
  }
  tile::store(sums, task.out, kPanelWidth);
}

/// out (kRows, 16) += rows of exponentials, of `depth` classes, panel after panel, times a panel of weights.
template <int kRows>
TRANSLATE_TILE void weighting_tile(std::int64_t depth, const Strided& exponentials, const float* panel,
                                   const Rows& out) {
  tile::Sums<kRows> sums;
  tile::load(out.data, out.stride, sums);
  const float* left = exponentials.data;
  std::int64_t done = 0;
  for (; done + kPanelWidth <= depth; done += kPanelWidth) {
    tile::accumulate_panel(left, panel + done * kPanelWidth, sums);
    left += exponentials.depth;
  }
  tile::accumulate(depth - done, left, kPanelWidth, 1, panel + done * kPanelWidth, kPanelWidth, sums);
  tile::store(sums, out.data, out.stride);
}

TRANSLATE_AVX2 void exponential_part_tile(std::int64_t rows, const TileTask& task) {
  TRANSLATE_WITH_ROWS(rows, exponential_tile, task);
}
TRANSLATE_AVX2
void weighting_part_tile(std::int64_t rows, std::int64_t depth, const Strided& exponentials, const float* panel,
                         const Rows& out) {
  TRANSLATE_WITH_ROWS(rows, weighting_tile, depth, exponentials, panel, out);
}

/// Tiles below one another: `task` is of the first.
TRANSLATE_AVX2 void exponentiate(std::int64_t rows, TileTask task) {
  for (; rows >= kTileRows; rows -= kTileRows) {
    exponential_tile<kTileRows>(task);
    task.features.data += kTileRows * task.features.stride;
    task.out += kTileRows * kPanelWidth;
    task.shifts += kTileRows;
    task.lanes += kTileRows * kLanes;
  }
  if (rows > 0) {
    exponential_part_tile(rows, task);
  }
}

TRANSLATE_AVX2 void weight(std::int64_t rows, std::int64_t depth, const Strided& exponentials, const float* panel,
                           const Rows& out) {
  std::int64_t row = 0;
  for (; row + kTileRows <= rows; row += kTileRows) {
    weighting_tile<kTileRows>(depth, {exponentials.data + row * exponentials.row, exponentials.row, exponentials.depth},
                              panel, {out.data + row * out.stride, out.stride});
  }
  if (row < rows) {
    weighting_part_tile(rows - row, depth,
                        {exponentials.data + row * exponentials.row, exponentials.row, exponentials.depth}, panel,
                        {out.data + row * out.stride, out.stride});
  }
}

#else

void exponentiate(std::int64_t, const TileTask&) {}
void weight(std::int64_t, std::int64_t, const Strided&, const float*, const Rows&) {}

#endif

/// The exponentials of classes [begin, end), one block of the classes.
void fill_block(const ProjectionFactors& factors, const ProjectedRows& rows, const PackedMatrix& exponentials,
                std::int64_t begin, std::int64_t end, float* lanes) {
  const auto& to_classes = factors.to_classes;
  const auto block = rows.first / kDepthBlock * kDepthBlock;
  for (std::int64_t first = 0; first < rows.count; first += kRowsAtATime) {
    const auto last = std::min(first + kRowsAtATime, rows.count);
    for (std::int64_t depth = 0; depth < to_classes.depth(); depth += kDepthBlock) {
      for (auto column = begin; column < end; column += kPanelWidth) {
        exponentiate(last - first,
                     {.depth = to_classes.block_depth(depth),
                      .features = {rows.features.data + first * rows.features.stride + depth, rows.features.stride},
                      .panel = to_classes.panel(depth, column),
                      .bias = factors.bias + column,
                      .out = exponentials.panel(block, column) + (rows.first - block + first) * kPanelWidth,
                      .shifts = rows.shifts + first,
                      .lanes = lanes + first * kLanes,
                      .is_first = depth == 0,
                      .is_last = depth + kDepthBlock >= to_classes.depth()});
      }
    }
  }
}

/// Adds exponentials times weights of the classes in the block that starts at `begin`.
void weight_block(const ProjectionFactors& factors, const ProjectedRows& rows, const PackedMatrix& exponentials,
                  std::int64_t begin) {
  const auto& to_features = factors.to_features;
  const auto block = rows.first / kDepthBlock * kDepthBlock;
  const float* from = exponentials.panel(block, begin) + (rows.first - block) * kPanelWidth;
  const auto to_next_panel = exponentials.block_depth(block) * kPanelWidth;
  for (std::int64_t column = 0; column < to_features.columns(); column += kPanelWidth) {
    weight(rows.count, to_features.block_depth(begin), {from, kPanelWidth, to_next_panel},
           to_features.panel(begin, column), {rows.weighted_features.data + column, rows.weighted_features.stride});
  }
}

}  // namespace

void project_exponentials(const ProjectionFactors& factors, const ProjectedRows& rows,
                          const PackedMatrix& exponentials) {
  thread_local FloatBuffer scratch;
  float* lanes = scratch.take(rows.count * kLanes);
  std::fill_n(lanes, rows.count * kLanes, 0.0F);
  for (std::int64_t row = 0; row < rows.count; ++row) {
    std::fill_n(rows.weighted_features.data + row * rows.weighted_features.stride,
                whole_panels(factors.to_features.columns()), 0.0F);
  }
  const auto classes = factors.to_classes.columns();
  for (std::int64_t begin = 0; begin < classes; begin += kDepthBlock) {
    fill_block(factors, rows, exponentials, begin, std::min(begin + kDepthBlock, classes), lanes);
    weight_block(factors, rows, exponentials, begin);
  }
  for (std::int64_t row = 0; row < rows.count; ++row) {
    rows.sums[row] = std::accumulate(lanes + row * kLanes, lanes + (row + 1) * kLanes, 0.0F);
  }
}

}  // namespace translate
