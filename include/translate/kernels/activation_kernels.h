#pragma once

#include <cstdint>

namespace translate {

/// values = x Phi(x), where Phi is the normal distribution function (GELU: Hendrycks and Gimpel 2016, the exact form),
/// good to 3e-7 |x|. For one thread.
void apply_gelu(float* values, std::int64_t count);

/// values = x / (1 + e^-x) (SiLU, also called swish: Elfwing et al. 2017), good to 3e-7 |x|. For one thread.
void apply_silu(float* values, std::int64_t count);

}  // namespace translate
