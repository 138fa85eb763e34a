#pragma once

#include <cstdint>

namespace translate {

/// Scaled dot-product attention (paper, equation 1) of one query over cached rows, all heads at once, for decoding step
/// by step. The result depends on nothing else.

/// A number in 16 bits (IEEE 754 binary16): 11 significant bits, up to 65504.
struct Half {
  std::uint16_t bits;
};

/// to = from, rounded; values that are too large become the largest finite value.
void round_to_half(const float* from, std::int64_t count, Half* to);

/// Rows of keys with their values, anywhere in memory, as float or Half.
template <class Number>
struct CachedRows {
  const Number* data;         ///< key of row 0; its value is `to_value` numbers further on
  std::int64_t stride;        ///< numbers from a row to the next
  std::int64_t to_value;      ///< numbers from a key to its value
  const std::int32_t* index;  ///< indices of the rows to attend to; null: 0, 1, 2, ...
  std::int64_t count;         ///< number of rows to attend to, at least 1
};

/// The division of a row into heads: head h is its columns [h * head_width, (h + 1) * head_width).
struct HeadShape {
  std::int64_t heads;
  std::int64_t head_width;

  /// Distance in floats between the weights of a key and those of the next.
  [[nodiscard]] std::int64_t weight_stride() const { return (heads + 7) / 8 * 8; }
};

/// out (heads * head_width) = attention of `query` (of the same width) over `rows`. `weights`: room for rows.count *
/// weight_stride() floats, with any alignment. Afterwards the weight of key j in head h is weights[j * weight_stride()
/// + h].
template <class Number>
void attend_to_cache(const HeadShape& shape, const float* query, const CachedRows<Number>& rows, float* weights,
                     float* out);
extern template void attend_to_cache(const HeadShape&, const float*, const CachedRows<float>&, float*, float*);
extern template void attend_to_cache(const HeadShape&, const float*, const CachedRows<Half>&, float*, float*);

}  // namespace translate
