#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>

#include "model/parameters.h"
#include "modules/execution_context.h"

namespace translate::trainer {

/// The simpler simple recurrent unit (SSRU; Kim et al. 2019, "From Research to Production and Back: Ludicrously Fast
/// Neural Machine Translation", as Marian computes it), which stands in the place of a decoder's self-attention: its
/// state is one vector, whatever the number of positions. u = w(x), g = sigmoid(w_f(x)), c_t = g_t c_(t-1) + (1 - g_t)
/// u_t, and the output is relu(c_t), without a projection. (batch, T, d_model) -> (batch, T, d_model).
class RecurrentUnitImpl : public torch::nn::Module {
 public:
  explicit RecurrentUnitImpl(const RecurrentUnitParameters& parameters);

  /// x: (batch, T, d_model), all positions of each sentence from the first on, padding at the end.
  at::Tensor forward(const at::Tensor& x, const ExecutionContext& context = {});

  /// The same for one new position x, (batch, 1, d_model). `state`: c of the position before it, of the same shape, or
  /// undefined at the first one; becomes that of the new one. States are never in half precision.
  at::Tensor step(const at::Tensor& x, at::Tensor& state, const ExecutionContext& context = {});

  torch::nn::Linear w{nullptr};    ///< of the candidate; no bias
  torch::nn::Linear w_f{nullptr};  ///< of the gate
};
TORCH_MODULE(RecurrentUnit);

}  // namespace translate::trainer
