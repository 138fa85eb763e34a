#include "training/loss/loss.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

#include "kernels/loss_kernels.h"
#include "training/loss/fused_loss.h"

namespace translate {

namespace {

/// Logits of one block, in values: large enough to keep the matrix unit busy, small enough to stay in cache.
constexpr std::int64_t kBlockValues = std::int64_t{1} << 20;

struct Block {
  at::Tensor smoothed;  ///< per row
  at::Tensor plain;     ///< per row
};

/// Loss of a block of logits (rows, V), overwritten with the gradient where asked.
Block block_loss(at::Tensor& logits, const at::Tensor& labels, double smoothing, bool write_gradient) {
  const auto rows = logits.size(0);
  const auto size = logits.size(1);
  Block losses{.smoothed = at::empty({rows}, at::kFloat), .plain = at::empty({rows}, at::kFloat)};
  auto* values = logits.mutable_data_ptr<float>();
  const auto* label = labels.const_data_ptr<std::int64_t>();
  auto* smoothed = losses.smoothed.mutable_data_ptr<float>();
  auto* plain = losses.plain.mutable_data_ptr<float>();
  at::parallel_for(0, rows, /*grain_size=*/8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      const auto loss = softmax_cross_entropy_row(values + row * size, size, label[row], static_cast<float>(smoothing),
                                                  write_gradient);
      smoothed[row] = loss.smoothed;
      plain[row] = loss.plain;
    }
  });
  return losses;
}

/// Forward and backward of the blocked loss in one go.
LossAndGradients blocked_loss(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                              const at::Tensor& labels, double smoothing, bool with_gradients) {
  const bool half = at::autocast::is_autocast_enabled(c10::kCPU);
  const auto type = half ? at::autocast::get_autocast_dtype(c10::kCPU) : c10::kFloat;
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKey::AutocastCPU);
  const auto x = features.to(type).contiguous();
  const auto w = weight.to(type);
  const auto count = x.size(0);
  const auto block_rows = std::clamp<std::int64_t>(kBlockValues / weight.size(0), 32, 1024);
  LossAndGradients result;
  result.sums = {.smoothed = at::zeros({}, at::kDouble), .plain = at::zeros({}, at::kDouble)};
  if (with_gradients) {
    result.features = at::empty_like(x);
    result.weight = at::zeros_like(weight);
    result.bias = at::zeros_like(bias);
  }
  for (std::int64_t begin = 0; begin < count; begin += block_rows) {
    const auto end = std::min(begin + block_rows, count);
    const auto rows = x.slice(0, begin, end);                           // (block, d_model)
    auto logits = half ? at::linear(rows, w).to(at::kFloat).add_(bias)  // (block, V)
                       : at::linear(rows, w, bias);
    const auto losses = block_loss(logits, labels.slice(0, begin, end), smoothing, with_gradients);
    result.sums.smoothed += losses.smoothed.sum(at::kDouble);
    result.sums.plain += losses.plain.sum(at::kDouble);
    if (with_gradients) {
      result.bias += logits.sum(0);
      const auto gradient = logits.to(type);
      auto target = result.features.slice(0, begin, end);
      at::mm_out(target, gradient, w);
      if (half) {
        result.weight += at::mm(gradient.t(), rows);
      } else {
        result.weight.addmm_(gradient.t(), rows);
      }
    }
  }
  return result;
}

/// The blocked loss as one node of the graph: its gradients exist before backward asks for them.
class BlockedLoss : public torch::autograd::Function<BlockedLoss> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context, const at::Tensor& features,
                                                const at::Tensor& weight, const at::Tensor& bias,
                                                const at::Tensor& labels, double smoothing, bool fused,
                                                FactorType products) {
    const auto result = fused ? fused_loss(features.contiguous(), weight, bias, labels, smoothing, products)
                              : blocked_loss(features, weight, bias, labels, smoothing, /*with_gradients=*/true);
    context->save_for_backward({result.features.to(features.scalar_type()), result.weight, result.bias});
    context->mark_non_differentiable({result.sums.plain});
    return {result.sums.smoothed.to(at::kFloat), result.sums.plain};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& upstream) {
    const auto saved = context->get_saved_variables();
    const auto factor = upstream[0].item<double>();
    return {saved[0] * factor, saved[1] * factor, saved[2] * factor, at::Tensor(),
            at::Tensor(),      at::Tensor(),      at::Tensor()};
  }
};

}  // namespace

LossSums cross_entropy(const at::Tensor& logits, const at::Tensor& labels, double smoothing) {
  const auto log_probabilities = at::log_softmax(logits, /*dim=*/-1, at::kFloat);  // (N, V)
  const auto plain = -log_probabilities.gather(1, labels.unsqueeze(1)).sum();
  const auto uniform = -log_probabilities.sum() / static_cast<double>(logits.size(1));
  return {.smoothed = plain * (1.0 - smoothing) + uniform * smoothing, .plain = plain.detach()};
}

LossSums projected_cross_entropy(const at::Tensor& features, const at::Tensor& weight, const at::Tensor& bias,
                                 const at::Tensor& labels, double smoothing, const ExecutionContext& context) {
  if (!features.is_cpu()) {
    return cross_entropy(at::linear(features, weight, bias), labels, smoothing);
  }
  if (!at::GradMode::is_enabled()) {
    return blocked_loss(features, weight, bias, labels, smoothing, /*with_gradients=*/false).sums;
  }
  const auto sums =
      BlockedLoss::apply(features, weight, bias, labels, smoothing, context.is_fused(), context.products());
  return {.smoothed = sums[0], .plain = sums[1]};
}

namespace {

double taken(at::Tensor& sum) {
  const auto value = sum.item<double>();
  sum.zero_();
  return value;
}

}  // namespace

LossTally::LossTally(const c10::Device& device)
    : plain_(at::zeros({}, at::TensorOptions().dtype(at::kDouble).device(device))),
      smoothed_(at::zeros_like(plain_)),
      divergence_(at::zeros_like(plain_)) {}

void LossTally::add(const LossSums& sums) {
  plain_ += sums.plain;
  smoothed_ += sums.smoothed;
  if (sums.divergence.defined()) {
    divergence_ += sums.divergence;
  }
}

void LossTally::move_to(ReportWindow& window) {
  window.loss_sum += taken(plain_);
  window.smoothed_loss_sum += taken(smoothed_);
  window.divergence_sum += taken(divergence_);
}

}  // namespace translate
