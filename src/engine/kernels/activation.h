#pragma once

#include <cstdint>

#include "config/options.h"

namespace translate {

/// The activation of feed-forward blocks on a row of values, on one thread, forward and backward: ReLU; GELU, x Phi(x)
/// with the normal distribution function Phi (Hendrycks and Gimpel 2016, the exact form); or swish, x / (1 + e^-x),
/// also called SiLU (Elfwing et al. 2017). The error of GELU and swish is at most 3e-7 |x|, that of their derivatives
/// about 1e-6.

/// values = activation(values).
void activate(Activation activation, float* values, std::int64_t count);

/// gradients *= the derivative of the activation at `inputs`.
void activate_backward(Activation activation, const float* inputs, float* gradients, std::int64_t count);

/// gradients *= values > 0 ? factor : 0: the derivative of ReLU from its outputs, after dropout that multiplied those
/// that it kept by `factor`.
void rectify_backward(const float* values, float factor, float* gradients, std::int64_t count);

}  // namespace translate
