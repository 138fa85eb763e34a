#include "translate/training/adam.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "translate/core/error.h"

namespace translate {
namespace {

Adam::NamedTensors named(const Adam::NamedTensors& parameters, const std::vector<at::Tensor>& values) {
  Adam::NamedTensors result;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    result.emplace_back(parameters[i].first, values[i]);
  }
  return result;
}

/// Copies `saved` into `moments`, matched by name.
void restore_moments(const Adam::NamedTensors& parameters, std::vector<at::Tensor>& moments,
                     const Adam::NamedTensors& saved) {
  const std::map<std::string, at::Tensor> by_name(saved.begin(), saved.end());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto found = by_name.find(parameters[i].first);
    if (found == by_name.end() || found->second.sizes() != moments[i].sizes()) {
      throw CheckpointError(
          fmt::format("the saved optimizer state has no moments for {} of the model's shape", parameters[i].first));
    }
    moments[i].copy_(found->second);
  }
}

}  // namespace

Adam::Adam(NamedTensors parameters, const OptimizerOptions& options)
    : options_(options), parameters_(std::move(parameters)), groups_(2) {
  groups_[0].weight_decay = options.weight_decay;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto& parameter = parameters_[i].second;
    exp_avg_.push_back(at::zeros_like(parameter, at::TensorOptions().requires_grad(false)));
    exp_avg_sq_.push_back(at::zeros_like(parameter, at::TensorOptions().requires_grad(false)));
    steps_.push_back(at::zeros({}, parameter.options().dtype(at::kFloat).requires_grad(false)));
    groups_[parameter.dim() > 1 ? 0 : 1].members.push_back(i);
  }
  const auto device = parameters_.front().second.device();
  refused_ = at::zeros({}, at::TensorOptions().dtype(at::kBool).device(device));
  evidence_ = at::zeros({2 + std::ssize(parameters_)}, at::TensorOptions().dtype(at::kDouble).device(device));
}

at::Tensor Adam::gradient_norms() const {
  std::vector<at::Tensor> slopes;
  for (const auto& [name, parameter] : parameters_) {
    if (parameter.grad().defined()) {
      slopes.push_back(parameter.grad());
    }
  }
  auto known = slopes.empty() ? std::vector<at::Tensor>() : at::_foreach_norm(slopes, 2);
  if (known.size() == parameters_.size()) {
    return at::stack(known);
  }
  const auto none = at::zeros({}, steps_.front().options());
  std::vector<at::Tensor> norms;
  auto next = known.begin();
  for (const auto& [name, parameter] : parameters_) {
    norms.push_back(parameter.grad().defined() ? *next++ : none);
  }
  return at::stack(norms);
}

Adam::Verdict Adam::judge(double clip_norm, const at::Tensor& loss) {
  const auto norms = gradient_norms().to(at::kFloat);
  const auto norm = norms.norm();
  const auto given_loss = loss.defined() ? loss.detach().to(at::kDouble) : at::zeros({}, evidence_.options());
  const auto number = at::full({1}, static_cast<double>(++updates_), evidence_.options());
  const auto now = at::cat({number, given_loss.reshape({1}), norms.to(at::kDouble)});
  evidence_ = at::where(refused_, evidence_, now);
  refused_.logical_or_(norm.isfinite().logical_and(given_loss.isfinite()).logical_not());
  Verdict verdict{.divisor = {}, .refused = refused_.to(at::kFloat), .made = refused_.logical_not().to(at::kFloat)};
  // The fused kernels write back the gradients that they divide: on the CPU, where it costs nothing to look, that is
  // spared where there is nothing to divide.
  if (clip_norm > 0.0 && !(norm.is_cpu() && norm.item<double>() <= clip_norm)) {
    verdict.divisor = (norm / clip_norm).clamp_min(1.0);
  }
  return verdict;
}

void Adam::step_group(const Group& group, double rate, const Verdict& verdict) {
  std::vector<at::Tensor> values;
  std::vector<at::Tensor> slopes;
  std::vector<at::Tensor> first;
  std::vector<at::Tensor> second;
  std::vector<at::Tensor> steps;
  for (const auto i : group.members) {
    const auto& parameter = parameters_[i].second;
    if (parameter.grad().defined()) {
      values.push_back(parameter);
      slopes.push_back(parameter.grad());
      first.push_back(exp_avg_[i]);
      second.push_back(exp_avg_sq_[i]);
      steps.push_back(steps_[i]);
    }
  }
  if (values.empty()) {
    return;
  }
  const auto divisor = verdict.divisor.defined() ? std::make_optional(verdict.divisor) : std::nullopt;
  at::_fused_adamw_(values, slopes, first, second, /*max_exp_avg_sqs=*/{}, steps, rate, options_.beta1, options_.beta2,
                    group.weight_decay, options_.epsilon, /*amsgrad=*/false, /*maximize=*/false,
                    /*grad_scale=*/divisor, /*found_inf=*/verdict.refused);
}

void Adam::step(double rate, double clip_norm, const at::Tensor& loss) {
  const at::NoGradGuard no_grad;
  const auto verdict = judge(clip_norm, loss);
  at::_foreach_add_(steps_, verdict.made);  // also of parameters without a gradient now: restore() knows one number
  for (const auto& group : groups_) {
    step_group(group, rate, verdict);
  }
}

void Adam::clear_gradients() {
  for (auto& [name, parameter] : parameters_) {
    parameter.mutable_grad() = at::Tensor();
  }
}

std::optional<RefusedUpdate> Adam::refused() const {
  if (!refused_.item<bool>()) {
    return std::nullopt;
  }
  const auto evidence = evidence_.cpu();
  const auto* values = evidence.const_data_ptr<double>();
  RefusedUpdate update{.number = static_cast<std::int64_t>(values[0]), .loss = values[1], .gradient = ""};
  for (std::size_t i = 0; i < parameters_.size() && update.gradient.empty(); ++i) {
    if (!std::isfinite(values[2 + i])) {
      update.gradient = parameters_[i].first;
    }
  }
  return update;
}

Adam::NamedTensors Adam::exp_avg() const { return named(parameters_, exp_avg_); }

Adam::NamedTensors Adam::exp_avg_sq() const { return named(parameters_, exp_avg_sq_); }

void Adam::restore(const NamedTensors& exp_avg, const NamedTensors& exp_avg_sq, std::int64_t step) {
  const at::NoGradGuard no_grad;
  restore_moments(parameters_, exp_avg_, exp_avg);
  restore_moments(parameters_, exp_avg_sq_, exp_avg_sq);
  for (auto& count : steps_) {
    count.fill_(static_cast<double>(step));
  }
  updates_ = step;
  refused_.zero_();
}

}  // namespace translate
