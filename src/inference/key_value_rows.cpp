#include "translate/inference/key_value_rows.h"

#include <algorithm>

namespace translate {

void KeyValueRows::keep(std::int64_t count, const float* from, std::int64_t stride, float* to) const {
  for (std::int64_t row = 0; row < count; ++row, from += stride, to += size()) {
    if (half_) {
      round_to_half(from, 2 * d_model_, reinterpret_cast<Half*>(to));
    } else {
      std::copy_n(from, 2 * d_model_, to);
    }
  }
}

void KeyValueRows::attend(const HeadShape& shape, const float* query, const float* kept, const std::int32_t* index,
                          std::int64_t count, float* weights, float* out) const {
  const auto attend_to = [&](const auto* data) {
    using Number = std::remove_cvref_t<decltype(*data)>;
    const CachedRows<Number> rows{data, 2 * d_model_, d_model_, index, count};
    attend_to_cache(shape, query, rows, weights, out);
  };
  if (half_) {
    attend_to(reinterpret_cast<const Half*>(kept));
  } else {
    attend_to(kept);
  }
}

}  // namespace translate
