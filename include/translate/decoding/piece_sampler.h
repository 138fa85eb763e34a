#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "translate/config/options.h"

namespace translate {

/// Draws pieces by the probabilities of logits divided by `temperature`, cut down to the `top_k` likeliest (of equal
/// ones the lower piece) and of these to the likeliest few that together reach `top_p` of their probability (nucleus
/// sampling, Holtzman et al. 2020).
class PieceSampler {
 public:
  explicit PieceSampler(const DecodingOptions& options) : options_(options) {}

  /// Looks over a row of logits, -inf for what must not be drawn; not everything is. `largest`: of the logits.
  void prepare(std::span<const float> logits, float largest);

  /// The piece at `fraction` (0 to below 1) of the probability that remains.
  [[nodiscard]] std::int64_t draw(double fraction) const;

 private:
  struct Choice {
    float weight;  ///< in proportion to its probability
    std::int64_t piece;
  };

  void cut_down(std::size_t most);
  void keep_nucleus();

  DecodingOptions options_;
  std::vector<float> weights_;
  std::vector<Choice> choices_;
  std::size_t kept_ = 0;  ///< of the choices, the first ones
  double total_ = 0.0;    ///< of their weights
};

}  // namespace translate
