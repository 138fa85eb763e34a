#include "modules/dropout.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

namespace translate::trainer {
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

TEST(Dropout, OfASliceIsThatOfTheWholePaddedBatch) {
  Dropout dropout(0.4);
  const auto whole = std::make_shared<UnpaddedLayout>(std::array<std::int64_t, 4>{3, 5, 1, 5}, /*length=*/5);
  const auto twice = std::make_shared<UnpaddedLayout>(whole->twice());
  const auto dropped = [&](const UnpaddedLayoutPointer& sentences, at::IntArrayRef shape) {
    at::manual_seed(5);
    return dropout(at::ones(shape), /*sentences=*/nullptr, ExecutionContext().over(sentences));
  };
  for (const auto& rest : {std::vector<std::int64_t>{5, 9}, {2, 5, 5}, {5, 1}}) {
    const auto of = [&](std::int64_t sentences) {
      auto shape = rest;
      shape.insert(shape.begin(), sentences);
      return shape;
    };
    const auto once = dropped(whole, of(4));
    at::manual_seed(5);
    EXPECT_TRUE(at::equal(once, dropout(at::ones(of(4)))));  // a whole batch needs no layout
    const auto both = dropped(twice, of(8));
    for (std::int64_t begin = 0; begin < 4; ++begin) {
      for (auto end = begin + 1; end <= 4; ++end) {
        const auto slice = std::make_shared<UnpaddedLayout>(whole->slice(begin, end));
        EXPECT_TRUE(at::equal(dropped(slice, of(end - begin)), once.slice(0, begin, end)));
        EXPECT_TRUE(at::equal(dropped(std::make_shared<UnpaddedLayout>(slice->twice()), of(2 * (end - begin))),
                              at::cat({both.slice(0, begin, end), both.slice(0, 4 + begin, 4 + end)})));
      }
    }
  }
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
}  // namespace translate::trainer
