#include "alignment/digamma.h"

#include <cmath>

namespace translate {

double digamma(double x) {
  double result = 0.0;
  while (x < 6.0) {
    result -= 1.0 / x;
    x += 1.0;
  }
  const double inverse = 1.0 / (x * x);
  const double series =
      inverse * (1.0 / 12 - inverse * (1.0 / 120 - inverse * (1.0 / 252 - inverse * (1.0 / 240 - inverse / 132))));
  return result + std::log(x) - 0.5 / x - series;
}

}  // namespace translate
