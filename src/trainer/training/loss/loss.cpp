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
LossSums cross_entropy_of(const at::Tensor& log_probabilities, const Targets& targets, const LossSettings& settings) {
  const auto at_labels = -log_probabilities.gather(1, targets.labels.unsqueeze(1)).squeeze(1);  // (N)
  const auto plain = at_labels.sum();
  at::Tensor smoothed;
  if (!targets.predictions) {
    const auto uniform = -log_probabilities.sum() / static_cast<double>(log_probabilities.size(1));
    smoothed = plain * (1.0 - settings.smoothing) + uniform * settings.smoothing;
  } else {
    const auto shares = target_shares(targets, settings);
    const auto& [rows, columns, probabilities, offsets] = *targets.predictions;
    const auto of = [&](const at::Tensor& share) { return share.to(log_probabilities.scalar_type()); };
    smoothed = (of(shares.label) * at_labels - of(shares.even) * log_probabilities.mean(1)).sum() -
               settings.teacher * (of(probabilities) * log_probabilities.index({rows, columns})).sum();
  }
  return {.minimised = smoothed, .smoothed = smoothed.detach(), .plain = plain.detach()};
}

LossSums definition(const at::Tensor& logits, const Targets& targets, const LossSettings& settings) {
  return logits.size(0) == targets.size() ? cross_entropy(logits, targets, settings)
                                          : two_pass_loss(logits, targets, settings);
}

/// Computes the definition for one block of labels after the other.
class LossInBlocks {
 public:
  LossInBlocks(const LossInputs& inputs, const LossSettings& settings, FactorType factor_type)
      : type_(factor_type == FactorType::kBfloat16 ? at::kBFloat16 : at::kFloat),
        settings_(settings),
        passes_(inputs.passes()),
        features_(inputs.features.detach().to(type_).reshape({passes_, inputs.targets.size(), -1})),
        weight_(inputs.weight.detach().to(type_)),
        bias_(inputs.bias.detach()),
        targets_(inputs.targets) {}

  [[nodiscard]] LossSums sums() const {
    LossSums result;
    const c10::impl::ExcludeDispatchKeyGuard no_autocast(c10::DispatchKey::AutocastCPU);
    each_block([&](const Targets& targets, const at::Tensor& rows, std::int64_t /*begin*/) {
      result.add(definition(logits(rows, weight_, bias_), targets, settings_));
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
    each_block([&](const Targets& targets, const at::Tensor& rows, std::int64_t begin) {
      const variable_list inputs{leaf(rows), leaf(weight_), leaf(bias_)};
      const auto sums = definition(logits(inputs[0], inputs[1], inputs[2]), targets, settings_);
      const auto gradients_of = torch::autograd::grad({sums.minimised}, inputs);
      result.sums.add(sums);
      result.features.slice(1, begin, begin + targets.size())
          .copy_(gradients_of[0].view({passes_, targets.size(), -1}));
      result.weight += gradients_of[1];
      result.bias += gradients_of[2];
    });
    result.features = result.features.flatten(0, 1);
    return result;
  }

 private:
  /// The number of logits in one block: large enough to keep the matrix unit busy, small enough to stay in cache.
  static constexpr std::int64_t kBlockValues = std::int64_t{1} << 20;

  /// Calls `compute` with the targets of a block, its rows of features (all of the first pass, then all of the second)
  /// and the index of its first label.
  template <class Compute>
  void each_block(const Compute& compute) const {
    const auto most =
        std::clamp<std::int64_t>(kBlockValues / (passes_ * weight_.size(0)), 32 / passes_, 1024 / passes_);
    for (std::int64_t begin = 0; begin < targets_.size(); begin += most) {
      const auto end = std::min(begin + most, targets_.size());
      compute(targets_.slice(begin, end), features_.slice(1, begin, end).flatten(0, 1), begin);
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
  Targets targets_;
};

/// A loss whose gradients are computed together with it, as one node of the graph.
class ProjectedLoss : public torch::autograd::Function<ProjectedLoss> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& features, const at::Tensor& weight,
                               const at::Tensor& bias, const Targets& targets, const LossSettings& settings,
                               LossMethod method, FactorType factor_type) {
    const LossInputs inputs{features, weight, bias, targets};
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

Targets Targets::slice(std::int64_t begin, std::int64_t end) const {
  Targets part{.labels = labels.slice(/*dim=*/0, begin, end)};
  if (predictions) {
    const auto rows = predictions->rows.cpu();
    const auto count = rows.numel();
    const auto* row = rows.const_data_ptr<std::int64_t>();
    const auto first = std::lower_bound(row, row + count, begin) - row;
    const auto last = std::lower_bound(row, row + count, end) - row;
    part.predictions = SparseRows{.rows = predictions->rows.slice(/*dim=*/0, first, last) - begin,
                                  .columns = predictions->columns.slice(/*dim=*/0, first, last),
                                  .values = predictions->values.slice(/*dim=*/0, first, last),
                                  .offsets = {}};
  }
  return part;
}

TargetShares target_shares(const Targets& targets, const LossSettings& settings) {
  const auto options = at::TensorOptions().dtype(at::kDouble).device(targets.labels.device());
  auto predicted = at::zeros({targets.size()}, options);  // lambda, or 0 for labels without predictions
  auto rest = at::zeros({targets.size()}, options);       // of the predictions: lambda times what they lack to 1
  if (targets.predictions) {
    const auto& [rows, columns, probabilities, offsets] = *targets.predictions;
    predicted.index_fill_(/*dim=*/0, rows, settings.teacher);
    rest = predicted - settings.teacher * at::zeros_like(rest).index_add_(0, rows, probabilities.to(at::kDouble));
  }
  return {.label = (1.0 - predicted) * (1.0 - settings.smoothing),
          .even = (1.0 - predicted) * settings.smoothing + rest};
}

LossSums cross_entropy(const at::Tensor& logits, const Targets& targets, const LossSettings& settings) {
  return cross_entropy_of(at::log_softmax(logits, /*dim=*/-1, at::kFloat), targets, settings);
}

LossSums two_pass_loss(const at::Tensor& logits, const Targets& targets, const LossSettings& settings) {
  const auto log_probabilities = at::log_softmax(logits, /*dim=*/-1, at::kFloat).chunk(2);  // two of (N, V)
  const auto& log_p = log_probabilities[0];
  const auto& log_q = log_probabilities[1];
  const auto [a, b] = settings.shares();
  const auto first = cross_entropy_of(log_p, targets, settings);
  const auto second = cross_entropy_of(log_q, targets, settings);
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
    return definition(at::linear(inputs.features, inputs.weight, inputs.bias), inputs.targets, settings);
  }
  if (!at::GradMode::is_enabled()) {
    return LossInBlocks(inputs, settings, factor_type).sums();
  }
  const auto sums =
      ProjectedLoss::apply(inputs.features, inputs.weight, inputs.bias, inputs.targets, settings, method, factor_type);
  if (inputs.passes() == 1) {
    return {.minimised = sums[0], .smoothed = sums[0].detach(), .plain = sums[1]};
  }
  return {.minimised = sums[0], .smoothed = sums[2], .plain = sums[1], .divergence = sums[3]};
}

}  // namespace translate::trainer
