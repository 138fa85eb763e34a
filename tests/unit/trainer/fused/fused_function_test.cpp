#include "fused/fused_function.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace translate::trainer {
namespace {

/// factor * x^2 + shift, which keeps 2 x.
class Parabola {
 public:
  struct Settings {
    double factor;
  };
  struct Inputs {
    at::Tensor shift;  ///< or undefined
    at::Tensor x;

    [[nodiscard]] TensorPointers list() { return {&shift, &x}; }
  };
  struct Kept {
    at::Tensor twice;

    [[nodiscard]] TensorPointers list() { return {&twice}; }
  };

  Parabola(const Settings& settings, const Inputs& inputs, Kept& kept)
      : factor_(settings.factor), inputs_(inputs), kept_(kept) {}

  at::Tensor forward() {
    EXPECT_TRUE(inputs_.x.is_contiguous());
    kept_.twice = 2 * inputs_.x;
    const auto square = factor_ * inputs_.x.square();
    return inputs_.shift.defined() ? square + inputs_.shift : square;
  }

  Inputs backward(const at::Tensor& gradient) {
    return {.shift = inputs_.shift.defined() ? gradient : at::Tensor(), .x = factor_ * kept_.twice * gradient};
  }

 private:
  double factor_;
  const Inputs& inputs_;
  Kept& kept_;
};

TEST(FusedFunction, GivesEachInputItsGradientAndLeavesOutThoseThatAreUndefined) {
  const auto x = at::arange(6, at::kFloat).view({2, 3}).t().requires_grad_();  // not contiguous
  for (const bool with_shift : {true, false}) {
    const auto shift = with_shift ? at::ones({3, 2}).requires_grad_() : at::Tensor();
    x.mutable_grad() = at::Tensor();
    const auto y = FusedFunction<Parabola>::run({.factor = 3.0}, {.shift = shift, .x = x});
    EXPECT_TRUE(at::equal(y.detach(), 3 * x.detach().square() + (with_shift ? 1 : 0)));
    y.backward(at::full_like(y, 2), /*retain_graph=*/true);
    EXPECT_TRUE(at::equal(x.grad(), 12 * x.detach()));
    y.backward(at::full_like(y, 2));  // the graph can run again
    EXPECT_TRUE(at::equal(x.grad(), 24 * x.detach()));
    if (with_shift) {
      EXPECT_TRUE(at::equal(shift.grad(), at::full({3, 2}, 4.0F)));
    }
  }
}

TEST(FusedFunction, RecordsNothingWithoutGradients) {
  const at::NoGradGuard no_grad;
  const auto x = at::ones({2, 2}).requires_grad_();
  EXPECT_FALSE(FusedFunction<Parabola>::run({.factor = 1.0}, {.shift = {}, .x = x}).requires_grad());
}

TEST(FusedFunction, NoticesAnInputThatChangesBeforeTheBackwardPass) {
  const auto x = at::ones({2, 2}).requires_grad_();
  const auto y = FusedFunction<Parabola>::run({.factor = 1.0}, {.shift = {}, .x = x});
  {
    const at::NoGradGuard no_grad;
    x.add_(1);
  }
  EXPECT_THROW(y.sum().backward(), c10::Error);
}

}  // namespace
}  // namespace translate::trainer
