#include "translate/model/fused_attention.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <optional>

#include "translate/model/attention_backward.h"
#include "translate/model/attention_forward.h"
#include "translate/model/kept_settings.h"

namespace translate {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using Optional = std::optional<at::Tensor>;

Optional optional(const at::Tensor& x) { return x.defined() ? Optional(x) : std::nullopt; }

class FusedAttention : public torch::autograd::Function<FusedAttention> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const Optional& memory,
                            const at::Tensor& alpha, const at::Tensor& bias, const at::Tensor& w_q,
                            const at::Tensor& w_k, const at::Tensor& w_v, const at::Tensor& w_o, const Optional& b_q,
                            const Optional& b_k, const Optional& b_v, const Optional& b_o,
                            const AttentionSettings& settings) {
    FusedResidual residual(settings.residual, x.contiguous(), alpha, bias);
    const at::Tensor none;
    const auto memory_rows = memory ? memory->contiguous() : none;
    const auto pass = run_attention_forward(
        residual,
        {{w_q, w_k, w_v, w_o}, {b_q.value_or(none), b_k.value_or(none), b_v.value_or(none), b_o.value_or(none)}},
        settings, memory_rows);
    auto saved = residual.saved();
    saved.insert(saved.end(),
                 {w_q, w_k, w_v, w_o, b_q.value_or(none), memory_rows, pass.query, pass.key_value, pass.joined});
    context->save_for_backward(saved);
    keep_settings(*context, settings);
    return pass.output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& slopes) {
    const auto saved = context->get_saved_variables();
    const auto settings = kept_settings<AttentionSettings>(*context);
    const std::span<const at::Tensor> all(saved);
    const FusedResidual residual(settings.residual, all.first(FusedResidual::kSaved));
    const auto rest = all.subspan(FusedResidual::kSaved);
    const AttentionFrame frame{settings, residual.width(), rest[6].const_data_ptr<float>(),
                               rest[7].const_data_ptr<float>()};
    const AttentionProjections projections{{rest[0], rest[1], rest[2], rest[3]}, {rest[4]}};
    auto gradients = run_attention_backward(residual, projections, frame,
                                            {.memory = rest[5], .joined = rest[8], .slope = slopes[0].contiguous()});
    gradients.emplace_back();  // none for the settings
    return gradients;
  }
};

}  // namespace

at::Tensor fused_attention(const ResidualConnection& residual, const MultiHeadAttentionBlock& block,
                           const at::Tensor& x, const at::Tensor& memory, const AttentionPattern& pattern) {
  const auto weights = block->dropout->draw();
  const AttentionSettings settings{.residual = residual->settings(pattern.queries),
                                   .weights = weights,
                                   .heads = block->num_heads(),
                                   .pattern = pattern,
                                   .of_self = !memory.defined()};
  return FusedAttention::apply(x, optional(memory), residual->norm->alpha, residual->norm->bias, block->w_q->weight,
                               block->w_k->weight, block->w_v->weight, block->w_o->weight, optional(block->w_q->bias),
                               optional(block->w_k->bias), optional(block->w_v->bias), optional(block->w_o->bias),
                               settings);
}

}  // namespace translate
