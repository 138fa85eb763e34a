#include "kernels/embedding.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "support/distance.h"

namespace translate {
namespace {

TEST(EmbedRow, IsEntryTimesFactorPlusPositionForwardAndBackward) {
  at::manual_seed(3);
  constexpr float kFactor = 2.5F;
  for (const std::int64_t width : {1, 7, 64}) {
    const auto entry = at::randn({width}).requires_grad_();
    const auto position = at::randn({width});
    const auto gradient = at::randn({width});
    const auto expected = entry * kFactor + position;
    expected.backward(gradient);
    const auto to = at::empty({width});
    embed_row(entry.const_data_ptr<float>(), kFactor, position.const_data_ptr<float>(), width,
              to.mutable_data_ptr<float>());
    EXPECT_TRUE(at::equal(to, expected.detach()));
    embed_row(entry.const_data_ptr<float>(), kFactor, nullptr, width, to.mutable_data_ptr<float>());
    EXPECT_TRUE(at::equal(to, entry.detach() * kFactor));
    const auto sum = at::ones({width});
    embed_row_backward(gradient.const_data_ptr<float>(), kFactor, width, sum.mutable_data_ptr<float>());
    EXPECT_LT(testing::relative_distance(sum - 1, entry.grad()), 1e-5);
  }
}

}  // namespace
}  // namespace translate
