#pragma once

#include <vector>

namespace translate {

/// Where scores of noise end.
struct NoiseThreshold {
  double score = 0.0;        ///< what is below is taken for noise; minus infinity: nothing is
  double noise_share = 0.0;  ///< of the text, as estimated
  double found_share = 0.0;  ///< of the noise that is below
};

/// Chooses a threshold by the scores of a text and those of noise that was made for it (decoys; Elias and Gygi 2007),
/// low scores being noise. The share p of noise in the text is what its lowest scores allow at most: the minimum of
/// G(s) / F(s), with the shares G of the text and F of the decoys that are below s. Of the text's other pairs,
/// (G(s) - p F(s)) / (1 - p) are below s. The threshold is the score at which the noise that is found, less
/// `loss_weight` times the other pairs that are lost, is the most. A text without noise loses nothing, or a few pairs
/// that look like noise. The result does not depend on the order.
[[nodiscard]] NoiseThreshold noise_threshold(std::vector<float> text, std::vector<float> decoys, double loss_weight);

}  // namespace translate
