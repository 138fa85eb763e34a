#include "kernels/matrix/packed_matrix.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/processor.h"
#include "core/threads.h"
#include "kernels/bfloat16.h"

#if TRANSLATE_HAS_AVX2_CODE
#include <immintrin.h>
#endif

namespace translate {

namespace {

void round_to_terms_plainly(const float* from, std::int64_t count, float* terms) {
  for (std::int64_t i = 0; i < count; i += 2) {
    terms[i / 2] = bfloat16_term(bfloat16_bits(from[i]), i + 1 < count ? bfloat16_bits(from[i + 1]) : 0);
  }
}

void round_to_panels_plainly(const float* lower, const float* upper, std::int64_t panels, float* terms,
                             std::int64_t to_next) {
  for (std::int64_t i = 0; i < panels * kPanelWidth; ++i) {
    float& term = terms[i / kPanelWidth * to_next + i % kPanelWidth];
    const auto old = std::bit_cast<std::uint32_t>(term);
    term = bfloat16_term(lower != nullptr ? bfloat16_bits(lower[i]) : old & 0xffffU,
                         upper != nullptr ? bfloat16_bits(upper[i]) : old >> 16U);
  }
}

#if TRANSLATE_HAS_AVX2_CODE

constexpr std::int64_t kLanes = 16;
constexpr __mmask32 kLower = 0x55555555U;  // the lower half of each term
constexpr unsigned kBits = 16;

/// Rounds 32 values, `lower` first.
TRANSLATE_AVX512 inline __m512i rounded(__m512 lower, __m512 upper) {
  return (__m512i)_mm512_cvtne2ps_pbh(upper, lower);
}

/// Rounds 16 values, each into the lower half of a term.
TRANSLATE_AVX512 inline __m512i in_lower_halves(const float* from) {
  return _mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(_mm512_loadu_ps(from)));
}

TRANSLATE_AVX512 void round_to_terms_avx512(const float* from, std::int64_t count, float* terms) {
  std::int64_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    _mm512_storeu_si512(terms + i / 2, rounded(_mm512_loadu_ps(from + i), _mm512_loadu_ps(from + i + kLanes)));
  }
  if (i < count) {
    const auto rest = static_cast<unsigned>(count - i);
    const auto mask = static_cast<__mmask32>((std::uint64_t{1} << rest) - 1);
    const __m512 lower = _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), from + i);
    const __m512 upper = rest > kLanes
                             ? _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask >> kLanes), from + i + kLanes)
                             : _mm512_setzero_ps();
    const auto terms_left = (rest + 1) / 2;
    _mm512_mask_storeu_epi32(terms + i / 2, static_cast<__mmask16>((1U << terms_left) - 1), rounded(lower, upper));
  }
}

TRANSLATE_AVX512 void round_to_panels_avx512(const float* lower, const float* upper, std::int64_t panels, float* terms,
                                             std::int64_t to_next) {
  if (lower != nullptr && upper != nullptr) {
    for (std::int64_t i = 0; i < panels; ++i) {
      const __m512i high = _mm512_slli_epi32(in_lower_halves(upper + i * kLanes), kBits);
      _mm512_storeu_si512(terms + i * to_next, _mm512_or_si512(in_lower_halves(lower + i * kLanes), high));
    }
    return;
  }
  for (std::int64_t i = 0; lower != nullptr && i < panels; ++i) {
    _mm512_mask_storeu_epi16(terms + i * to_next, kLower, in_lower_halves(lower + i * kLanes));
  }
  for (std::int64_t i = 0; upper != nullptr && i < panels; ++i) {
    const __m512i high = _mm512_slli_epi32(in_lower_halves(upper + i * kLanes), kBits);
    _mm512_mask_storeu_epi16(terms + i * to_next, ~kLower, high);
  }
}

#endif

}  // namespace

void round_to_terms(const float* from, std::int64_t count, float* terms) {
#if TRANSLATE_HAS_AVX2_CODE
  if (has_bf16_kernels()) {
    return round_to_terms_avx512(from, count, terms);
  }
#endif
  round_to_terms_plainly(from, count, terms);
}

void round_to_panels(const float* lower, const float* upper, std::int64_t panels, float* terms, std::int64_t to_next) {
#if TRANSLATE_HAS_AVX2_CODE
  if (has_bf16_kernels()) {
    return round_to_panels_avx512(lower, upper, panels, terms, to_next);
  }
#endif
  round_to_panels_plainly(lower, upper, panels, terms, to_next);
}

ConstRows left_terms(FactorType type, const ConstRows& rows, std::int64_t count, std::int64_t width,
                     FloatBuffer& scratch) {
  if (type == FactorType::kFloat) {
    return rows;
  }
  const auto stride = terms_of(width, type);
  float* terms = scratch.take(count * stride);
  for (std::int64_t i = 0; i < count; ++i) {
    round_to_terms(rows.data + i * rows.stride, width, terms + i * stride);
  }
  return {terms, stride};
}

namespace {

#if TRANSLATE_HAS_AVX2_CODE

TRANSLATE_AVX2 void transpose_8x8_avx2(const float* const* from, std::int64_t offset, float* to) {
  __m256 r[8];
  __m256 t[8];
  for (int i = 0; i < 8; ++i) {
    r[i] = _mm256_loadu_ps(from[i] + offset);
  }
  for (int i = 0; i < 8; i += 2) {
    t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
    t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
    r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xEE);
    r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
    r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xEE);
  }
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(to + i * kPanelWidth, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_storeu_ps(to + (i + 4) * kPanelWidth, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
}

#endif

/// Transposes 8 rows of 8 floats; the rows of the result are 16 apart.
void transpose_8x8(const float* const* from, std::int64_t offset, float* to) {
#if TRANSLATE_HAS_AVX2_CODE
  if (has_avx2_kernels()) {
    return transpose_8x8_avx2(from, offset, to);
  }
#endif
  for (std::int64_t i = 0; i < 8; ++i) {
    for (std::int64_t j = 0; j < 8; ++j) {
      to[i * kPanelWidth + j] = from[j][offset + i];
    }
  }
}

}  // namespace

std::int64_t PackedMatrix::size() const {
  const auto blocks = (depth_ + kDepthBlock - 1) / kDepthBlock;
  return (terms_of(depth_, type_) + blocks) * whole_panels(columns_);
}

void PackedMatrix::resize(std::int64_t depth, std::int64_t columns) {
  depth_ = depth;
  columns_ = columns;
  const auto whole = whole_panels(columns);
  (void)values_.take(std::max<std::int64_t>(size(), 1));
  if (type_ == FactorType::kBfloat16 && depth % 2 != 0) {
    const auto block = depth / kDepthBlock * kDepthBlock;
    for (std::int64_t column = 0; column < whole; column += kPanelWidth) {
      std::fill_n(panel(block, column) + (block_terms(block) - 1) * kPanelWidth, kPanelWidth, 0.0F);
    }
  }
}

std::int64_t PackedMatrix::block_terms(std::int64_t block) const {
  return terms_of(std::min(kDepthBlock, depth_ - block), type_);
}

float* PackedMatrix::panel(std::int64_t block, std::int64_t column) const {
  const auto before = terms_of(block, type_) + block / kDepthBlock;
  return values_.data() + before * whole_panels(columns_) + column / kPanelWidth * to_next_panel(block);
}

void PackedMatrix::set_columns(const ConstRows& rows, std::int64_t first, std::int64_t count) {
  thread_local FloatBuffer scratch;
  for (std::int64_t block = 0; block < depth_; block += kDepthBlock) {
    for (std::int64_t i = 0; i < count; i += kPanelWidth) {
      const auto columns = std::min(kPanelWidth, count - i);
      const auto depth = std::min(kDepthBlock, depth_ - block);
      const auto terms = left_terms(type_, {rows.data + i * rows.stride + block, rows.stride}, columns, depth, scratch);
      transpose_to_panel(terms, columns, block_terms(block), panel(block, first + i));
    }
  }
}

void PackedMatrix::copy_terms(std::int64_t column, float* terms) const {
  for (std::int64_t block = 0; block < depth_; block += kDepthBlock) {
    const float* from = panel(block, column) + column % kPanelWidth;
    for (std::int64_t i = 0; i < block_terms(block); ++i) {
      *terms++ = from[i * kPanelWidth];
    }
  }
}

void PackedMatrix::set_terms(const ConstRows& rows, std::int64_t first, std::int64_t count) {
  for (std::int64_t i = 0; i < count; i += kPanelWidth) {
    const float* from = rows.data + i * rows.stride;
    for (std::int64_t block = 0; block < depth_; block += kDepthBlock) {
      transpose_to_panel({from, rows.stride}, std::min(kPanelWidth, count - i), block_terms(block),
                         panel(block, first + i));
      from += block_terms(block);
    }
  }
}

void PackedMatrix::set_rows(std::int64_t first, std::int64_t count, const ConstRows& rows) {
  const auto step = type_ == FactorType::kFloat ? 1 : 2;
  for (auto row = first; row < first + count;) {
    const auto block = row / kDepthBlock * kDepthBlock;
    const bool lower_stays = row % step != 0;
    const bool upper_stays = step == 1 || (!lower_stays && row + 1 == first + count);
    const float* from = rows.data + (row - first) * rows.stride;
    const float* lower = lower_stays ? nullptr : from;
    const float* upper = upper_stays ? nullptr : (lower_stays ? from : from + rows.stride);
    set_term_row(lower, upper, block, (row - block) / step);
    row += lower_stays || upper_stays ? 1 : 2;
  }
}

void PackedMatrix::set_term_row(const float* lower, const float* upper, std::int64_t block, std::int64_t term) {
  const auto panels = columns_ / kPanelWidth;
  const auto set = [&](const float* x, const float* y, std::int64_t count, float* to) {
    if (type_ == FactorType::kBfloat16) {
      return round_to_panels(x, y, count, to, to_next_panel(block));
    }
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(to + i * to_next_panel(block), x + i * kPanelWidth, kPanelWidth * sizeof(float));
    }
  };
  set(lower, upper, panels, panel(block, 0) + term * kPanelWidth);
  const auto whole = panels * kPanelWidth;
  if (whole < columns_) {
    const auto rest_bytes = static_cast<std::size_t>(columns_ - whole) * sizeof(float);
    std::array<float, 2 * kPanelWidth> rest{};
    const auto filled_up = [&](const float* from, float* room) {
      return from == nullptr ? nullptr : static_cast<float*>(std::memcpy(room, from + whole, rest_bytes));
    };
    set(filled_up(lower, rest.data()), filled_up(upper, rest.data() + kPanelWidth), 1,
        panel(block, whole) + term * kPanelWidth);
  }
}

void pack_transposed(const ConstRows& weight, std::int64_t out, std::int64_t in, PackedMatrix& packed) {
  packed.resize(in, out);
  constexpr std::int64_t kColumns = 8 * kPanelWidth;
  parallel_ranges(out, kColumns, [&](std::int64_t begin, std::int64_t end) {
    packed.set_columns({weight.data + begin * weight.stride, weight.stride}, begin, end - begin);
  });
}

void pack(const ConstRows& weight, std::int64_t depth, std::int64_t columns, PackedMatrix& packed) {
  packed.resize(depth, columns);
  constexpr std::int64_t kRows = 128;
  parallel_ranges(depth, kRows, [&](std::int64_t begin, std::int64_t end) {
    packed.set_rows(begin, end - begin, {weight.data + begin * weight.stride, weight.stride});
  });
}

void transpose_to_panel(const ConstRows& rows, std::int64_t count, std::int64_t width, float* out) {
  constexpr std::int64_t kSide = 8;
  constexpr std::int64_t kAtATime = 256;  // columns for which a row of zeros can stand in
  static constexpr std::array<float, kAtATime> kZeros{};
  std::int64_t i = 0;
  for (std::int64_t begin = 0; begin + kSide <= width; begin += kAtATime) {
    std::array<const float*, kPanelWidth> from{};
    for (std::int64_t r = 0; r < kPanelWidth; ++r) {
      from[static_cast<std::size_t>(r)] = r < count ? rows.data + r * rows.stride + begin : kZeros.data();
    }
    for (i = begin; i + kSide <= std::min(width, begin + kAtATime); i += kSide) {
      transpose_8x8(from.data(), i - begin, out + i * kPanelWidth);
      transpose_8x8(from.data() + kSide, i - begin, out + i * kPanelWidth + kSide);
    }
  }
  for (; i < width; ++i) {
    for (std::int64_t r = 0; r < kPanelWidth; ++r) {
      out[i * kPanelWidth + r] = r < count ? rows.data[r * rows.stride + i] : 0.0F;
    }
  }
}

}  // namespace translate
