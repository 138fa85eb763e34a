#pragma once

namespace translate {

/// The derivative of the logarithm of the gamma function, for x > 0: by psi(x) = psi(x + 1) - 1 / x up to x >= 6, and
/// there by its asymptotic series (Abramowitz and Stegun 1964, 6.3.5 and 6.3.18). Relative error below 1e-8.
[[nodiscard]] double digamma(double x);

}  // namespace translate
