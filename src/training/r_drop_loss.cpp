#include "translate/training/r_drop_loss.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "translate/kernels/pair_loss_kernel.h"
#include "translate/model/fused_kernels.h"
#include "translate/training/packed_r_drop.h"

namespace translate {
namespace {

/// Logits of one block, in values: large enough to keep the matrix unit busy, small enough to stay in cache.
constexpr std::int64_t kBlockValues = std::int64_t{1} << 20;

at::Tensor regularise(const at::Tensor& smoothed, const at::Tensor& divergence, const RDropSettings& settings) {
  return smoothed + settings.weight() * divergence;
}

/// Adds the losses of logits (2, pairs, V) to `sums`; they are overwritten with their gradients.
void add_block(at::Tensor& logits, const at::Tensor& labels, const RDropSettings& settings, LossSums& sums) {
  const auto pairs = logits.size(1);
  const auto classes = logits.size(2);
  auto losses = at::empty({3, pairs}, at::kFloat);
  float* values = logits.mutable_data_ptr<float>();
  float* loss = losses.mutable_data_ptr<float>();
  const auto* label = labels.const_data_ptr<std::int64_t>();
  const PairLossSettings pair_settings{.smoothing = static_cast<float>(settings.smoothing),
                                       .weight = static_cast<float>(settings.weight())};
  at::parallel_for(0, pairs, /*grain_size=*/8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t pair = begin; pair < end; ++pair) {
      const auto found = pair_loss_rows(values + pair * classes, values + (pairs + pair) * classes, classes,
                                        label[pair], pair_settings);
      loss[pair] = found.smoothed;
      loss[pairs + pair] = found.plain;
      loss[2 * pairs + pair] = found.divergence;
    }
  });
  const auto totals = losses.sum(1, /*keepdim=*/false, at::kDouble);
  sums.smoothed += totals[0];
  sums.plain += totals[1];
  sums.divergence += totals[2];
}

/// Forward and backward in one go by LibTorch's matrix products, which may be bf16.
RDropGradients blocked_r_drop(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                              const at::Tensor& labels, const RDropSettings& settings) {
  const bool half = at::autocast::is_autocast_enabled(c10::kCPU);
  const auto type = half ? at::autocast::get_autocast_dtype(c10::kCPU) : c10::kFloat;
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKey::AutocastCPU);
  const auto count = labels.size(0);
  const auto x = features.to(type).reshape({2, count, features.size(1)});
  const auto w = weight.to(type);
  const auto block_pairs = std::clamp<std::int64_t>(kBlockValues / (2 * weight.size(0)), 16, 512);
  const auto zero = [] { return at::zeros({}, at::kDouble); };
  RDropGradients result{
      .sums = {.smoothed = zero(), .plain = zero(), .divergence = zero(), .regularised = {}},
      .features = at::empty_like(x),
      .weight = at::zeros_like(weight),
      .bias = at::zeros_like(bias),
  };
  for (std::int64_t begin = 0; begin < count; begin += block_pairs) {
    const auto end = std::min(begin + block_pairs, count);
    const auto rows = x.slice(1, begin, end).contiguous();        // (2, block, d_model)
    auto logits = at::linear(rows, w).to(at::kFloat).add_(bias);  // (2, block, V)
    add_block(logits, labels.slice(0, begin, end), settings, result.sums);
    const auto slope = logits.to(type).flatten(0, 1);
    result.bias += logits.sum(at::IntArrayRef{0, 1});
    result.features.slice(1, begin, end).copy_(at::mm(slope, w).view(rows.sizes()));
    result.weight += at::mm(slope.t(), rows.flatten(0, 1));
  }
  result.features = result.features.flatten(0, 1);
  result.sums.regularised = regularise(result.sums.smoothed, result.sums.divergence, settings);
  return result;
}

/// The loss as one node of the graph: its gradients exist before backward asks for them.
class ProjectedRDrop : public torch::autograd::Function<ProjectedRDrop> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context, const at::Tensor& features,
                                                const at::Tensor& weight, const at::Tensor& bias,
                                                const at::Tensor& labels, const RDropSettings& settings, bool packed) {
    const auto result = packed ? packed_r_drop(features.contiguous(), weight, bias, labels, settings, fused_products())
                               : blocked_r_drop(features, weight, bias, labels, settings);
    context->save_for_backward({result.features.to(features.scalar_type()), result.weight, result.bias});
    const auto& sums = result.sums;
    context->mark_non_differentiable({sums.smoothed, sums.plain, sums.divergence});
    return {sums.regularised.to(at::kFloat), sums.smoothed, sums.plain, sums.divergence};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& upstream) {
    const auto saved = context->get_saved_variables();
    const auto factor = upstream[0].item<double>();
    return {saved[0] * factor, saved[1] * factor, saved[2] * factor, at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

}  // namespace

LossSums r_drop(const at::Tensor& logits, const at::Tensor& labels, const RDropSettings& settings) {
  const auto count = labels.size(0);
  const auto both = cross_entropy(logits, at::cat({labels, labels}), settings.smoothing);
  const auto log_probabilities = at::log_softmax(logits, /*dim=*/-1, at::kFloat);  // (2 N, V)
  const auto first = log_probabilities.slice(0, 0, count);
  const auto second = log_probabilities.slice(0, count);
  const auto divergence = 0.5 * ((first.exp() - second.exp()) * (first - second)).sum();  // KL(p, q) + KL(q, p), halved
  const auto smoothed = 0.5 * both.smoothed;
  return {.smoothed = smoothed.detach(),
          .plain = 0.5 * both.plain,
          .divergence = divergence.detach(),
          .regularised = regularise(smoothed, divergence, settings)};
}

LossSums projected_r_drop(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                          const at::Tensor& labels, const RDropSettings& settings) {
  if (!features.is_cpu()) {
    return r_drop(at::linear(features, weight, bias), labels, settings);
  }
  const auto sums = ProjectedRDrop::apply(features, weight, bias, labels, settings, fused_kernels_apply(features));
  return {.smoothed = sums[1], .plain = sums[2], .divergence = sums[3], .regularised = sums[0]};
}

}  // namespace translate
