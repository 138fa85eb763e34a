#include "modules/recurrence.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cstdint>

namespace translate::trainer {

namespace {

constexpr std::int64_t kTime = 1;  // the dimension of the positions

/// Returns y with y_t = factor_t y_(t-1) + term_t, and y_(-1) = 0: (batch, T, d). Overwrites its arguments.
at::Tensor scan(at::Tensor factor, at::Tensor term) {
  const auto length = term.size(kTime);
  for (std::int64_t reach = 1; reach < length; reach *= 2) {
    // The pair of t so far joins positions (t - reach, t]; that of t - reach precedes it.
    const auto later = [&](const at::Tensor& x) { return x.narrow(kTime, reach, length - reach); };
    const auto earlier = [&](const at::Tensor& x) { return x.narrow(kTime, 0, length - reach); };
    const auto sums = at::addcmul(later(term), later(factor), earlier(term));
    const auto products = later(factor) * earlier(factor);
    later(term).copy_(sums);
    later(factor).copy_(products);
  }
  return term;
}

/// recurrence() with its gradient.
class RecurrenceFunction : public torch::autograd::Function<RecurrenceFunction> {
 public:
  using Context = torch::autograd::AutogradContext;
  using Variables = torch::autograd::variable_list;

  static at::Tensor forward(Context* context, const at::Tensor& gate, const at::Tensor& candidate) {
    auto states = scan(gate.clone(), (1.0 - gate) * candidate);
    context->save_for_backward({gate, candidate, states});
    return states;
  }

  /// With s_t the gradient of the loss in c_t, by way of all later positions too: s_t = gradient_t + g_(t+1) s_(t+1).
  static Variables backward(Context* context, const Variables& gradients) {
    const auto saved = context->get_saved_variables();
    const auto& gate = saved[0];
    const auto& candidate = saved[1];
    const auto moved = [](const at::Tensor& x, std::int64_t by) { return at::constant_pad_nd(x, {0, 0, by, -by}); };
    const auto before = moved(saved[2], /*by=*/1);   // c_(t-1)
    const auto gate_after = moved(gate, /*by=*/-1);  // g_(t+1), and 0 at the end
    const auto sums = scan(gate_after.flip(kTime), gradients[0].flip(kTime)).flip(kTime);
    return {sums * (before - candidate), sums * (1.0 - gate)};
  }
};

}  // namespace

at::Tensor recurrence(const at::Tensor& gate, const at::Tensor& candidate) {
  return RecurrenceFunction::apply(gate, candidate);
}

}  // namespace translate::trainer
