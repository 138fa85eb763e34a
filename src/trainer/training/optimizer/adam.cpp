#include "training/optimizer/adam.h"

#include <ATen/ATen.h>

#include "training/optimizer/weight_average.h"

namespace translate::trainer {

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
}

void Adam::step_group(const Group& group, double rate, const UpdateDecision& decision) {
  std::vector<at::Tensor> values;
  std::vector<at::Tensor> gradients;
  std::vector<at::Tensor> first;
  std::vector<at::Tensor> second;
  std::vector<at::Tensor> steps;
  for (const auto i : group.members) {
    const auto& parameter = parameters_[i].second;
    if (parameter.grad().defined()) {
      values.push_back(parameter);
      gradients.push_back(parameter.grad());
      first.push_back(exp_avg_[i]);
      second.push_back(exp_avg_sq_[i]);
      steps.push_back(steps_[i]);
    }
  }
  if (values.empty()) {
    return;
  }
  const auto divisor = decision.divisor.defined() ? std::make_optional(decision.divisor) : std::nullopt;
  at::_fused_adamw_(values, gradients, first, second, /*max_exp_avg_sqs=*/{}, steps, rate, options_.beta1,
                    options_.beta2, group.weight_decay, options_.epsilon, /*amsgrad=*/false, /*maximize=*/false,
                    /*grad_scale=*/divisor, /*found_inf=*/decision.refused);
}

void Adam::step(double rate, const UpdateDecision& decision) {
  const at::NoGradGuard no_grad;
  at::_foreach_add_(steps_, decision.made);  // also without a gradient now: restore() sets one number for all
  for (const auto& group : groups_) {
    step_group(group, rate, decision);
  }
}

NamedTensors Adam::exp_avg() const { return named_values(parameters_, exp_avg_); }

NamedTensors Adam::exp_avg_sq() const { return named_values(parameters_, exp_avg_sq_); }

void Adam::restore(const NamedTensors& exp_avg, const NamedTensors& exp_avg_sq, std::int64_t step) {
  restore_values(parameters_, exp_avg_, exp_avg, "the saved optimizer state has no moments");
  restore_values(parameters_, exp_avg_sq_, exp_avg_sq, "the saved optimizer state has no moments");
  for (auto& count : steps_) {
    count.fill_(static_cast<double>(step));
  }
}

}  // namespace translate::trainer
