#include "model/modules/dropout.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace translate {
namespace {

TEST(Dropout, FollowsTheDefaultGeneratorsSeed) {
  Dropout dropout(0.4);
  const auto x = at::ones({100, 33});
  at::manual_seed(5);
  const auto first = dropout(x);
  const auto second = dropout(x);
  at::manual_seed(5);
  EXPECT_TRUE(at::equal(dropout(x), first));
  EXPECT_FALSE(at::equal(first, second));
}

TEST(Dropout, DrawsTheMasksThatForwardUses) {
  Dropout dropout(0.4);
  at::manual_seed(5);
  const auto y = dropout(at::ones({40}));
  at::manual_seed(5);
  auto mask = at::empty({40});
  fill_whole_mask(dropout->draw(), {mask.mutable_data_ptr<float>(), 40});
  EXPECT_TRUE(at::equal(y, mask));
  dropout->eval();
  EXPECT_EQ(dropout->draw().probability, 0.0);
}

TEST(Dropout, GradientIsTheMask) {
  Dropout dropout(0.4);
  const auto x = at::ones({50, 20}).requires_grad_();
  const auto y = dropout(x);
  y.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), y.detach()));
}

TEST(Dropout, IsTheIdentityInEvaluationAndAtZero) {
  const auto x = at::randn({4, 4});
  Dropout off(0.0);
  EXPECT_TRUE(at::equal(off(x), x));
  Dropout on(0.5);
  on->eval();
  EXPECT_TRUE(at::equal(on(x), x));
  EXPECT_FALSE(on->is_active());
}

TEST(Dropout, KeepsTheTypeOfItsInput) {
  Dropout dropout(0.5);
  EXPECT_EQ(dropout(at::ones({8}, at::kBFloat16)).scalar_type(), at::kBFloat16);
}

}  // namespace
}  // namespace translate
