#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "translate/kernels/matrix_product.h"

namespace translate {

inline constexpr std::int64_t kPanelRowsAtATime = 8 * kTileRows;  ///< of an output that lacks columns of a panel

/// Lets `compute` write whole panels of an output of which only `columns` of the panel's exist, `rows` (at most
/// kPanelRowsAtATime) of it; what was there is given to it where `keep`.
template <class Compute>
void in_whole_panel(std::int64_t rows, std::int64_t columns, const Rows& out, bool keep, const Compute& compute) {
  if (columns == kPanelWidth) {
    return compute(out);
  }
  std::array<float, kPanelRowsAtATime * kPanelWidth> results{};
  for (std::int64_t i = 0; keep && i < rows; ++i) {
    std::copy_n(out.data + i * out.stride, columns, results.data() + i * kPanelWidth);
  }
  compute(Rows{results.data(), kPanelWidth});
  for (std::int64_t i = 0; i < rows; ++i) {
    std::copy_n(results.data() + i * kPanelWidth, columns, out.data + i * out.stride);
  }
}

}  // namespace translate
