#pragma once

#include <cstdint>

namespace translate {

/// Scaled dot-product attention (paper, equation 1) of one query over rows kept from before, all heads at once, for
/// decoding step by step. The result depends on nothing else. Only where has_vector_kernels() holds.

/// A number in 16 bits (IEEE 754 binary16): 11 significant ones, up to 65504.
struct Half {
  std::uint16_t bits;
};

/// to = from, rounded; what is too large becomes the largest there is.
void round_to_half(const float* from, std::int64_t count, Half* to);

/// Rows of keys with their values, kept anywhere, as float or Half.
template <class Number>
struct CachedRows {
  const Number* data;         ///< row 0: its key; its value `to_value` numbers on
  std::int64_t stride;        ///< numbers from a row to the next
  std::int64_t to_value;      ///< numbers from a key to its value
  const std::int32_t* index;  ///< the numbers of the rows to attend to; null: 0, 1, 2, ...
  std::int64_t count;         ///< of these, at least 1
};

/// How a row is cut: head h is its columns [h * head_width, (h + 1) * head_width).
struct HeadShape {
  std::int64_t heads;
  std::int64_t head_width;

  /// Floats between the weights of a key and those of the next.
  [[nodiscard]] std::int64_t weight_stride() const { return (heads + 7) / 8 * 8; }
};

/// out (heads * head_width) = attention of `query` (as long) over `rows`. `weights`: room for rows.count *
/// weight_stride() floats, aligned as any; afterwards the weight of key j in head h is weights[j * weight_stride() +
/// h].
template <class Number>
void attend_to_cache(const HeadShape& shape, const float* query, const CachedRows<Number>& rows, float* weights,
                     float* out);
extern template void attend_to_cache(const HeadShape&, const float*, const CachedRows<float>&, float*, float*);
extern template void attend_to_cache(const HeadShape&, const float*, const CachedRows<Half>&, float*, float*);

}  // namespace translate
