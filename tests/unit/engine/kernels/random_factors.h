#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace translate {

/// The sizes of a product of matrices.
struct FactorShape {
  std::int64_t rows;
  std::int64_t depth;
  std::int64_t columns;
};

/// Returns values between -1 and 1.
inline std::vector<float> random_values(std::int64_t count, std::mt19937& random) {
  std::uniform_real_distribution<float> values(-1.0F, 1.0F);
  std::vector<float> result(static_cast<std::size_t>(count));
  for (float& value : result) {
    value = values(random);
  }
  return result;
}

}  // namespace translate
