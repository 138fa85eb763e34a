#include "pairs/noise_threshold.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace translate {

NoiseThreshold noise_threshold(std::vector<float> text, std::vector<float> decoys, double loss_weight) {
  constexpr std::size_t kFewest = 50;  // decoys
  constexpr double kLeastFound = 0.2;  // below, F is estimated from too few
  NoiseThreshold best{.score = -std::numeric_limits<double>::infinity()};
  if (text.empty() || decoys.size() < kFewest) {
    return best;
  }
  std::ranges::sort(text);
  std::ranges::sort(decoys);
  const auto text_size = static_cast<double>(text.size());
  const auto decoys_size = static_cast<double>(decoys.size());
  const auto each_score = [&](const auto& use) {
    std::size_t below = 0;
    for (std::size_t i = 0; i < decoys.size(); ++i) {
      while (below < text.size() && text[below] < decoys[i]) {
        ++below;
      }
      use(decoys[i], static_cast<double>(below) / text_size, static_cast<double>(i) / decoys_size);
    }
  };
  double noise = 1.0;
  each_score([&](float, double of_text, double of_decoys) {
    if (of_decoys >= kLeastFound) {
      noise = std::min(noise, of_text / of_decoys);
    }
  });
  best.noise_share = noise;
  double most = 0.0;
  each_score([&](float score, double of_text, double of_decoys) {
    const double lost = of_text - noise * of_decoys;
    const double gain = noise * of_decoys - loss_weight * lost;
    if (gain > most) {
      most = gain;
      best.score = score;
      best.found_share = of_decoys;
    }
  });
  return best;
}

}  // namespace translate
