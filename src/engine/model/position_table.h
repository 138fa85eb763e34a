#pragma once

#include <cstdint>
#include <vector>

#include "config/options.h"

namespace translate {

/// The sinusoidal positions of a model.
struct Sinusoids {
  // NOLINTNEXTLINE(google-explicit-constructor): a width alone means the paper's
  Sinusoids(std::int64_t d_model) : width(d_model) {}
  explicit Sinusoids(const ModelOptions& options)
      : width(options.d_model), layout(options.sinusoid_layout), frequencies(options.sinusoid_frequencies) {}

  std::int64_t width;  ///< d_model
  SinusoidLayout layout = SinusoidLayout::kInterleaved;
  SinusoidFrequencies frequencies = SinusoidFrequencies::kPaper;
};

/// The sinusoidal table, (length, d_model), row by row. The paper has (section 3.5), for i = 0 ... d_model/2 - 1:
/// pe[pos, 2i] = sin(pos * rate[i]), pe[pos, 2i+1] = cos(the same), rate[i] = 10000^(-2i/d_model). With
/// SinusoidLayout::kHalves the sines are in pe[pos, i] and the cosines in pe[pos, d_model/2 + i]; with
/// SinusoidFrequencies::kTensor2Tensor rate[i] = 10000^(-i/(d_model/2 - 1)). Angles are rounded to single precision, as
/// the reference has them.
[[nodiscard]] std::vector<float> sinusoidal_table(std::int64_t length, const Sinusoids& sinusoids);

/// Returns how many positions a table of `size` positions must have for a sequence of `length`: `size` if that is
/// enough, else at least twice as many (a sinusoidal table is then computed again). Throws RuntimeError if a learned
/// table is too short, because it cannot grow.
[[nodiscard]] std::int64_t positions_to_hold(std::int64_t length, std::int64_t size, PositionKind kind);

}  // namespace translate
