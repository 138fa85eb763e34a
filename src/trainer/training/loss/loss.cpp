#include "training/loss/loss.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "training/loss/fused_loss.h"

namespace translate::trainer {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Returns the cross entropy of log-probabilities (N, V).
LossSums cross_entropy_of(const at::Tensor& log_probabilities, const at::Tensor& labels, double smoothing) {
  const auto plain = -log_probabilities.gather(1, labels.unsqueeze(1)).sum();
  const auto uniform = -log_probabilities.sum() / static_cast<double>(log_probabilities.size(1));
  const auto smoothed = plain * (1.0 - smoothing) + uniform * smoothing;
  return {.minimised = smoothed, .smoothed = smoothed.detach(), .plain = plain.detach()};
}

LossSums definition(const at::Tensor& logits, const at::Tensor& labels, const LossSettings& settings) {
  return logits.size(0) == labels.size(0) ? cross_entropy(logits, labels, settings.smoothing)
                                          : two_pass_loss(logits, labels, settings);
}

/// Computes the definition for one block of labels after the other.
class LossInBlocks {
 public:
  LossInBlocks(const LossInputs& inputs, const LossSettings& settings, FactorType factor_type)
      : type_(factor_type == FactorType::kBfloat16 ? at::kBFloat16 : at::kFloat),
        settings_(settings),
        passes_(inputs.passes()),
        features_(inputs.features.detach().to(type_).reshape({passes_, inputs.labels.size(0), -1})),
        weight_(inputs.weight.detach().to(type_)),
        bias_(inputs.bias.detach()),
        labels_(inputs.labels) {}

  [[nodiscard]] LossSums sums() const {
    LossSums result;
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKey::AutocastCPU);
    each_block([&](const at::Tensor& labels, const at::Tensor& rows, std::int64_t /*begin*/) {
      result.add(definition(logits(rows, weight_, bias_), labels, settings_));
    });
    return result;
  }

  [[nodiscard]] LossAndGradients sums_and_gradients() const {
    LossAndGradients result{.sums = {},
                            .features = at::empty_like(features_),
                            .weight = at::zeros(weight_.sizes(), at::kFloat),
                            .bias = at::zeros_like(bias_)};
    const at::AutoGradMode gradients(true);
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKey::AutocastCPU);
    const auto leaf = [](const at::Tensor& tensor) { return tensor.detach().requires_grad_(); };
    each_block([&](const at::Tensor& labels, const at::Tensor& rows, std::int64_t begin) {
      const variable_list inputs{leaf(rows), leaf(weight_), leaf(bias_)};
      const auto sums = definition(logits(inputs[0], inputs[1], inputs[2]), labels, settings_);
      const auto gradients_of = torch::autograd::grad({sums.minimised}, inputs);
      result.sums.add(sums);
      result.features.slice(1, begin, begin + labels.size(0))
          .copy_(gradients_of[0].view({passes_, labels.size(0), -1}));
      result.weight += gradients_of[1];
      result.bias += gradients_of[2];
    });
    result.features = result.features.flatten(0, 1);
    return result;
  }

 private:
  /// The number of logits in one block: large enough to keep the matrix unit busy, small enough to stay in cache.
  static constexpr std::int64_t kBlockValues = std::int64_t{1} << 20;

  /// Calls `compute` with the labels of a block, its rows of features (all of the first pass, then all of the second)
  /// and the index of its first label.
  template <class Compute>
  void each_block(const Compute& compute) const {
    const auto most =
        std::clamp<std::int64_t>(kBlockValues / (passes_ * weight_.size(0)), 32 / passes_, 1024 / passes_);
    for (std::int64_t begin = 0; begin < labels_.size(0); begin += most) {
      const auto end = std::min(begin + most, labels_.size(0));
      compute(labels_.slice(0, begin, end), features_.slice(1, begin, end).flatten(0, 1), begin);
    }
  }

  /// Adds the bias in single precision, even if the products are in bf16.
  static at::Tensor logits(const at::Tensor& rows, const at::Tensor& weight, const at::Tensor& bias) {
    return weight.scalar_type() == at::kFloat ? at::linear(rows, weight, bias)
                                              : at::linear(rows, weight).to(at::kFloat) + bias;
  }

  at::ScalarType type_;  // of the factors of matrix products
  LossSettings settings_;
  std::int64_t passes_;
  at::Tensor features_;  // (passes, N, d_model)
  at::Tensor weight_;
  at::Tensor bias_;
  at::Tensor labels_;
};

/// A loss whose gradients are computed together with it, as one node of the graph.
class ProjectedLoss : public torch::autograd::Function<ProjectedLoss> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& features, const at::Tensor& weight,
                               const at::Tensor& bias, const at::Tensor& labels, const LossSettings& settings,
                               LossMethod method, FactorType factor_type) {
    const LossInputs inputs{features, weight, bias, labels};
    const auto result = method == LossMethod::kFused ? fused_loss(inputs, settings, factor_type)
                                                     : LossInBlocks(inputs, settings, factor_type).sums_and_gradients();
    context->save_for_backward({result.features.to(features.scalar_type()), result.weight, result.bias});
    variable_list sums{result.sums.minimised.to(at::kFloat), result.sums.plain};
    context->mark_non_differentiable({sums[1]});
    if (result.sums.divergence.defined()) {
      sums.insert(sums.end(), {result.sums.smoothed, result.sums.divergence});
      context->mark_non_differentiable({sums[1], sums[2], sums[3]});
    }
    return sums;
  }

  static variable_list backward(AutogradContext* context, const variable_list& upstream) {
    const auto saved = context->get_saved_variables();
    const auto factor = upstream[0].item<double>();
    return {saved[0] * factor, saved[1] * factor, saved[2] * factor, at::Tensor(),
            at::Tensor(),      at::Tensor(),      at::Tensor()};
  }
};

}  // namespace

LossSums LossSums::zeros(const c10::Device& device) {
  const auto zero = at::zeros({}, at::TensorOptions().dtype(at::kDouble).device(device));
  return {.minimised = zero, .smoothed = zero, .plain = zero};
}

void LossSums::add(const LossSums& other) {
  for (const auto sum :
       {&LossSums::minimised, &LossSums::smoothed, &LossSums::plain, &LossSums::divergence, &LossSums::guided}) {
    if ((other.*sum).defined()) {
      const auto value = (other.*sum).detach().to(at::kDouble);
      this->*sum = (this->*sum).defined() ? this->*sum + value : value;
    }
  }
}

LossSums cross_entropy(const at::Tensor& logits, const at::Tensor& labels, double smoothing) {
  return cross_entropy_of(at::log_softmax(logits, /*dim=*/-1, at::kFloat), labels, smoothing);
}

LossSums two_pass_loss(const at::Tensor& logits, const at::Tensor& labels, const LossSettings& settings) {
  const auto log_probabilities = at::log_softmax(logits, /*dim=*/-1, at::kFloat).chunk(2);  // two of (N, V)
  const auto& log_p = log_probabilities[0];
  const auto& log_q = log_probabilities[1];
  const auto [a, b] = settings.shares();
  const auto first = cross_entropy_of(log_p, labels, settings.smoothing);
  const auto second = cross_entropy_of(log_q, labels, settings.smoothing);
  const auto smoothed = a * first.minimised + b * second.minimised;
  const auto divergence = ((a * log_p.exp() - b * log_q.exp()) * (log_p - log_q)).sum();
  return {.minimised = smoothed + settings.divergence_weight() * divergence,
          .smoothed = smoothed.detach(),
          .plain = a * first.plain + b * second.plain,
          .divergence = divergence.detach()};
}

LossSums projected_loss(const LossInputs& inputs, const LossSettings& settings, LossMethod method,
                        FactorType factor_type) {
  if (method == LossMethod::kOperators) {
    return definition(at::linear(inputs.features, inputs.weight, inputs.bias), inputs.labels, settings);
  }
  if (!at::GradMode::is_enabled()) {
    return LossInBlocks(inputs, settings, factor_type).sums();
  }
  const auto sums =
      ProjectedLoss::apply(inputs.features, inputs.weight, inputs.bias, inputs.labels, settings, method, factor_type);
  if (inputs.passes() == 1) {
    return {.minimised = sums[0], .smoothed = sums[0].detach(), .plain = sums[1]};
  }
  return {.minimised = sums[0], .smoothed = sums[2], .plain = sums[1], .divergence = sums[3]};
}

}  // namespace translate::trainer
