#pragma once

#include <cstdint>

namespace translate {

/// Rows of floats, `stride` apart.
struct ConstRows {
  const float* data;
  std::int64_t stride;
};
struct Rows {
  float* data;
  std::int64_t stride;
};

/// A factor of a product with any distance between neighbours both ways.
struct Strided {
  const float* data;
  std::int64_t row;    ///< left factor: to the next row of the product; right factor: to the next panel
  std::int64_t depth;  ///< to the next term of the sums
};

}  // namespace translate
