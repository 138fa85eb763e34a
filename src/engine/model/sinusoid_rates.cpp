#include "model/sinusoid_rates.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace translate {

std::vector<float> sinusoid_rates(const Sinusoids& sinusoids) {
  const auto pairs = sinusoids.width / 2;
  const bool is_paper = sinusoids.frequencies == SinusoidFrequencies::kPaper;
  // of one pair alone the rate is 1 either way
  const auto steps = is_paper ? static_cast<double>(sinusoids.width) : std::max(1.0, static_cast<double>(pairs - 1));
  const auto exponent = static_cast<float>(-std::log(10000.0) / steps);
  std::vector<float> rates;
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    rates.push_back(std::exp(static_cast<float>(is_paper ? 2 * pair : pair) * exponent));
  }
  return rates;
}

}  // namespace translate
