#include "modules/recurrent_unit.h"

#include <ATen/ATen.h>

#include "modules/linear_layers.h"
#include "modules/recurrence.h"

namespace translate::trainer {

RecurrentUnitImpl::RecurrentUnitImpl(const RecurrentUnitParameters& parameters) {
  w = register_module(parameters.w.module, linear_layer(parameters.w));
  w_f = register_module(parameters.w_f.module, linear_layer(parameters.w_f));
}

namespace {

/// Half precision -> single precision, in which the recursion adds up.
at::Tensor widened(const at::Tensor& x) { return c10::isReducedFloatingType(x.scalar_type()) ? x.to(at::kFloat) : x; }

/// Reports the parts of the recursion, and returns the output of the unit.
at::Tensor output_of(const at::Tensor& gate, const at::Tensor& candidate, const at::Tensor& state,
                     const ExecutionContext& context) {
  context.observe("candidate", candidate);
  context.observe("gate", gate);
  context.observe("state", state);
  auto output = at::relu(state);
  context.observe("output", output);
  return output;
}

}  // namespace

at::Tensor RecurrentUnitImpl::forward(const at::Tensor& x, const ExecutionContext& context) {
  const auto candidate = widened(w(x));         // (batch, T, d_model)
  const auto gate = widened(w_f(x)).sigmoid();  // (batch, T, d_model)
  return output_of(gate, candidate, recurrence(gate, candidate), context);
}

at::Tensor RecurrentUnitImpl::step(const at::Tensor& x, at::Tensor& state, const ExecutionContext& context) {
  const auto candidate = widened(w(x));         // (batch, 1, d_model)
  const auto gate = widened(w_f(x)).sigmoid();  // (batch, 1, d_model)
  const auto fresh = (1.0 - gate) * candidate;
  state = state.defined() ? at::addcmul(fresh, gate, state) : fresh;
  return output_of(gate, candidate, state, context);
}

}  // namespace translate::trainer
