#include "alignment/digamma.h"

#include <gtest/gtest.h>

#include <numbers>

namespace translate {
namespace {

TEST(Digamma, HasItsKnownValues) {
  EXPECT_NEAR(digamma(1.0), -std::numbers::egamma, 1e-9);
  EXPECT_NEAR(digamma(0.5), -std::numbers::egamma - 2.0 * std::numbers::ln2, 1e-9);
  EXPECT_NEAR(digamma(2.0), 1.0 - std::numbers::egamma, 1e-9);
  EXPECT_NEAR(digamma(0.01), -100.56088545786867, 1e-7);
  EXPECT_NEAR(digamma(10.0), 2.251752589066721, 1e-9);
  EXPECT_NEAR(digamma(1e6), 13.815510057964191, 1e-9);
}

TEST(Digamma, SatisfiesItsRecurrence) {
  for (double x = 0.001; x < 100.0; x *= 1.7) {
    EXPECT_NEAR(digamma(x + 1.0), digamma(x) + 1.0 / x, 1e-8 * (1.0 + 1.0 / x)) << x;
  }
}

}  // namespace
}  // namespace translate
