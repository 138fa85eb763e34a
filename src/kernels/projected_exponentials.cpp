#include "translate/kernels/projected_exponentials.h"

#include <algorithm>
#include <numeric>

#include "translate/kernels/matrix_product.h"
#include "translate/kernels/tile.h"

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

/// e^x, clamped, good to about 1e-7 relative, as exp_of_nonpositive. What is not a number stays so: hence the order of
/// the operands of minimum and maximum.
TRANSLATE_TILE __m256 exponential(__m256 x) {
  const __m256 limit = _mm256_set1_ps(87.0F);
  x = _mm256_max_ps(_mm256_sub_ps(_mm256_setzero_ps(), limit), _mm256_min_ps(limit, x));
  const __m256 rounder = _mm256_set1_ps(12582912.0F);
  const __m256 shifted = _mm256_fmadd_ps(x, _mm256_set1_ps(1.44269504F), rounder);
  const __m256 n = _mm256_sub_ps(shifted, rounder);
  __m256 rest = _mm256_fnmadd_ps(n, _mm256_set1_ps(0.693359375F), x);
  rest = _mm256_fnmadd_ps(n, _mm256_set1_ps(-2.12194440e-4F), rest);
  __m256 sum = _mm256_set1_ps(1.0F / 720.0F);
  sum = _mm256_fmadd_ps(sum, rest, _mm256_set1_ps(1.0F / 120.0F));
  sum = _mm256_fmadd_ps(sum, rest, _mm256_set1_ps(1.0F / 24.0F));
  sum = _mm256_fmadd_ps(sum, rest, _mm256_set1_ps(1.0F / 6.0F));
  sum = _mm256_fmadd_ps(sum, rest, _mm256_set1_ps(0.5F));
  sum = _mm256_fmadd_ps(sum, rest, _mm256_set1_ps(1.0F));
  sum = _mm256_fmadd_ps(sum, rest, _mm256_set1_ps(1.0F));
  const __m256i exponent = _mm256_slli_epi32(_mm256_castps_si256(shifted), 23);
  return _mm256_mul_ps(sum, _mm256_castsi256_ps(_mm256_add_epi32(exponent, _mm256_set1_epi32(127 << 23))));
}

template <int kRows>
TRANSLATE_AVX2 void exponential_tile(const TileTask& task) {
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
TRANSLATE_AVX2 void weighting_tile(std::int64_t depth, const Strided& exponentials, const float* panel,
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

TRANSLATE_AVX2 void exponentiate(std::int64_t rows,
                                 const TileTask& task){TRANSLATE_WITH_ROWS(rows, exponential_tile, task)}

TRANSLATE_AVX2 void weight(std::int64_t rows, std::int64_t depth, const Strided& exponentials, const float* panel,
                           const Rows& out) {
  TRANSLATE_WITH_ROWS(rows, weighting_tile, depth, exponentials, panel, out)
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
        float* out = exponentials.panel(block, column) + (rows.first - block) * kPanelWidth;
        for (auto row = first; row < last; row += kTileRows) {
          exponentiate(std::min(kTileRows, last - row),
                       {.depth = to_classes.block_depth(depth),
                        .features = {rows.features.data + row * rows.features.stride + depth, rows.features.stride},
                        .panel = to_classes.panel(depth, column),
                        .bias = factors.bias + column,
                        .out = out + row * kPanelWidth,
                        .shifts = rows.shifts + row,
                        .lanes = lanes + row * kLanes,
                        .is_first = depth == 0,
                        .is_last = depth + kDepthBlock >= to_classes.depth()});
        }
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
    const float* panel = to_features.panel(begin, column);
    for (std::int64_t row = 0; row < rows.count; row += kTileRows) {
      const auto [data, stride] = rows.weighted_features;
      weight(std::min(kTileRows, rows.count - row), to_features.block_depth(begin),
             {from + row * kPanelWidth, kPanelWidth, to_next_panel}, panel, {data + row * stride + column, stride});
    }
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
