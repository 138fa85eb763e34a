#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/processor.h"
#include "kernels/matrix/byte_loops.h"
#include "kernels/matrix/packed_matrix.h"

#if TRANSLATE_HAS_NEON_CODE
#include <arm_neon.h>
#endif

namespace translate {

#if TRANSLATE_HAS_NEON_CODE

namespace {

// A vector holds the four bytes of four columns; a panel's term has four vectors. The bytes q of the left factor have
// no sign and the weights w have one. Only USMMLA multiplies such bytes; for the others q - 128 has a sign, too, and
// 128 sum(w) is added in the end.

constexpr int kVectors = 4;
constexpr std::int64_t kPanelBytes = kPanelWidth * kTermBytes;

/// kRows x 16 sums.
template <int kRows>
using Sums = int32x4_t[kRows][kVectors];

/// The part of a task that belongs to a panel and to rows from `row` on.
struct Part {
  const ByteTask& task;
  std::int64_t row;
  std::int64_t panel;

  [[nodiscard]] const std::uint8_t* left(std::int64_t i) const { return task.a + (row + i) * task.a_stride; }
  [[nodiscard]] const std::int8_t* right() const { return task.panels + panel * task.terms * kPanelBytes; }
};

/// The four bytes of a term.
inline std::uint32_t term_at(const std::uint8_t* bytes) {
  std::uint32_t term = 0;
  std::memcpy(&term, bytes, sizeof(term));
  return term;
}

/// A term of a panel: four values of each of 16 columns.
struct PanelTerm {
  explicit PanelTerm(const std::int8_t* from) {
    for (int j = 0; j < kVectors; ++j) {
      columns[j] = vld1q_s8(from + 16 * j);
    }
  }

  int8x16_t columns[kVectors];
};

/// The four bytes q of a term of row `i`, as q - 128, for each of four columns.
inline int8x16_t left_term(const Part& part, std::int64_t i, std::int64_t term) {
  const auto bytes = vreinterpretq_u8_u32(vdupq_n_u32(term_at(part.left(i) + term * kTermBytes)));
  return vreinterpretq_s8_u8(veorq_u8(bytes, vdupq_n_u8(0x80)));
}

/// Computes out = c (s sum + l sum(w)) + bias, where `offset` sum(w) is missing in the sums.
template <int kRows>
void finish(const Part& part, const Sums<kRows>& sums, int offset, const Rows& out) {
  for (int j = 0; j < kVectors; ++j) {
    const auto column = part.panel * kPanelWidth + 4 * j;
    const float32x4_t weights = vld1q_f32(part.task.sums + column);
    const float32x4_t scales = vld1q_f32(part.task.scales + column);
    const float32x4_t start = part.task.bias != nullptr ? vld1q_f32(part.task.bias + column) : vdupq_n_f32(0.0F);
    const int32x4_t missing = vmulq_n_s32(vcvtq_s32_f32(weights), offset);
    for (int i = 0; i < kRows; ++i) {
      const auto row = part.row + i;
      const float32x4_t whole = vmulq_n_f32(vcvtq_f32_s32(vaddq_s32(sums[i][j], missing)), part.task.a_steps[row]);
      const float32x4_t sum = vfmaq_n_f32(whole, weights, part.task.a_least[row]);
      vst1q_f32(out.data + row * out.stride + column, vfmaq_f32(start, sum, scales));
    }
  }
}

/// For every ARM64: products in 16 bits, whose pairs are added in 32.
struct WideningTile {
  static constexpr int kMostRows = 2;

  template <int kRows>
  static void run(const Part& part, const Rows& out) {
    int32x4_t pairs[kRows][kVectors][2] = {};
    const std::int8_t* right = part.right();
    for (std::int64_t term = 0; term < part.task.terms; ++term, right += kPanelBytes) {
      const PanelTerm weights(right);
      for (int i = 0; i < kRows; ++i) {
        const int8x8_t left = vget_low_s8(left_term(part, i, term));
        for (int j = 0; j < kVectors; ++j) {
          pairs[i][j][0] = vpadalq_s16(pairs[i][j][0], vmull_s8(left, vget_low_s8(weights.columns[j])));
          pairs[i][j][1] = vpadalq_s16(pairs[i][j][1], vmull_s8(left, vget_high_s8(weights.columns[j])));
        }
      }
    }
    Sums<kRows> sums;
    for (int i = 0; i < kRows; ++i) {
      for (int j = 0; j < kVectors; ++j) {
        sums[i][j] = vpaddq_s32(pairs[i][j][0], pairs[i][j][1]);
      }
    }
    finish<kRows>(part, sums, 128, out);
  }
};

/// With SDOT: four products and their sum at once.
struct DotTile {
  static constexpr int kMostRows = 4;

  template <int kRows>
  TRANSLATE_DOT static void run(const Part& part, const Rows& out) {
    Sums<kRows> sums = {};
    const std::int8_t* right = part.right();
    for (std::int64_t term = 0; term < part.task.terms; ++term, right += kPanelBytes) {
      const PanelTerm weights(right);
      for (int i = 0; i < kRows; ++i) {
        const int8x16_t left = left_term(part, i, term);
        for (int j = 0; j < kVectors; ++j) {
          sums[i][j] = vdotq_s32(sums[i][j], weights.columns[j], left);
        }
      }
    }
    finish<kRows>(part, sums, 128, out);
  }
};

/// With USMMLA: two rows times two columns, each of eight values, at once. Half of it is lost on a single row, which
/// DotTile computes.
struct MatrixTile {
  static constexpr int kMostRows = 4;

  template <int kRows>
  TRANSLATE_I8MM static void run(const Part& part, const Rows& out) {
    constexpr int kPairs = kRows / 2;
    constexpr int kColumnPairs = 2 * kVectors;
    int32x4_t tiles[kPairs][kColumnPairs] = {};  // row 0, columns 0 and 1; row 1, columns 0 and 1
    const std::int8_t* right = part.right();
    for (std::int64_t term = 0; term < part.task.terms; term += 2, right += 2 * kPanelBytes) {
      const bool is_whole = term + 1 < part.task.terms;  // the last term may be alone
      int8x16_t weights[kColumnPairs];
      for (int j = 0; j < kVectors; ++j) {
        const auto first = vreinterpretq_s32_s8(vld1q_s8(right + 16 * j));
        const auto second = is_whole ? vreinterpretq_s32_s8(vld1q_s8(right + kPanelBytes + 16 * j)) : vdupq_n_s32(0);
        weights[2 * j] = vreinterpretq_s8_s32(vzip1q_s32(first, second));
        weights[2 * j + 1] = vreinterpretq_s8_s32(vzip2q_s32(first, second));
      }
      for (int i = 0; i < kPairs; ++i) {
        const auto left = vcombine_u8(eight_bytes(part.left(2 * i) + term * kTermBytes, is_whole),
                                      eight_bytes(part.left(2 * i + 1) + term * kTermBytes, is_whole));
        for (int j = 0; j < kColumnPairs; ++j) {
          tiles[i][j] = vusmmlaq_s32(tiles[i][j], left, weights[j]);
        }
      }
    }
    Sums<kRows> sums;
    for (int i = 0; i < kPairs; ++i) {
      for (int j = 0; j < kVectors; ++j) {
        const auto first = vreinterpretq_s64_s32(tiles[i][2 * j]);
        const auto second = vreinterpretq_s64_s32(tiles[i][2 * j + 1]);
        sums[2 * i][j] = vreinterpretq_s32_s64(vzip1q_s64(first, second));
        sums[2 * i + 1][j] = vreinterpretq_s32_s64(vzip2q_s64(first, second));
      }
    }
    finish<kRows>(part, sums, 0, out);
  }

  static uint8x8_t eight_bytes(const std::uint8_t* from, bool is_whole) {
    return is_whole ? vld1_u8(from) : vcreate_u8(term_at(from));
  }
};

/// Calls Tile::run for `rows` rows, from 1 to Tile::kMostRows.
template <class Tile>
void run_tile(std::int64_t rows, const Part& part, const Rows& out) {
  switch (rows) {
    case 1:
      return Tile::template run<1>(part, out);
    case 2:
      return Tile::template run<2>(part, out);
    case 3:
      return Tile::template run<3>(part, out);
    default:
      return Tile::template run<4>(part, out);
  }
}

/// An even number of rows by matrix products, a last one by dot products.
template <>
void run_tile<MatrixTile>(std::int64_t rows, const Part& part, const Rows& out) {
  if (rows >= 4) {
    return MatrixTile::run<4>(part, out);
  }
  if (rows >= 2) {
    MatrixTile::run<2>(part, out);
  }
  if (rows % 2 != 0) {
    DotTile::run<1>({part.task, part.row + rows - 1, part.panel}, out);
  }
}

/// Panel by panel, so that each is read from memory once.
template <class Tile>
void multiply_in_tiles(std::int64_t rows, std::int64_t panels, const ByteTask& task, const Rows& out) {
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    for (std::int64_t row = 0; row < rows; row += Tile::kMostRows) {
      run_tile<Tile>(std::min<std::int64_t>(Tile::kMostRows, rows - row), {task, row, panel}, out);
    }
  }
}

}  // namespace

void multiply_panels_neon(std::int64_t rows, std::int64_t panels, const ByteTask& task, const Rows& out) {
  if (has_i8mm_kernels()) {
    return multiply_in_tiles<MatrixTile>(rows, panels, task, out);
  }
  if (has_dot_kernels()) {
    return multiply_in_tiles<DotTile>(rows, panels, task, out);
  }
  multiply_in_tiles<WideningTile>(rows, panels, task, out);
}

#else

void multiply_panels_neon(std::int64_t /*rows*/, std::int64_t /*panels*/, const ByteTask& /*task*/,
                          const Rows& /*out*/) {}

#endif

}  // namespace translate
