#include "translate/training/adam.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

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
}

std::vector<at::Tensor> Adam::gradients() const {
  std::vector<at::Tensor> result;
  for (const auto& [name, parameter] : parameters_) {
    if (parameter.grad().defined()) {
      result.push_back(parameter.grad());
    }
  }
  return result;
}

void Adam::step_group(const Group& group, double rate) {
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
  at::_foreach_add_(steps, 1);
  at::_fused_adamw_(values, slopes, first, second, /*max_exp_avg_sqs=*/{}, steps, rate, options_.beta1, options_.beta2,
                    group.weight_decay, options_.epsilon, /*amsgrad=*/false, /*maximize=*/false);
}

void Adam::step(double rate) {
  const at::NoGradGuard no_grad;
  for (const auto& group : groups_) {
    step_group(group, rate);
  }
}

void Adam::clear_gradients() {
  for (auto& [name, parameter] : parameters_) {
    parameter.mutable_grad() = at::Tensor();
  }
}

at::Tensor Adam::gradient_norm() const {
  const at::NoGradGuard no_grad;
  return at::stack(at::_foreach_norm(gradients(), 2)).norm();
}

void Adam::scale_gradients(double factor) {
  const at::NoGradGuard no_grad;
  auto slopes = gradients();
  at::_foreach_mul_(slopes, factor);
}

std::string Adam::first_bad_gradient() const {
  for (const auto& [name, parameter] : parameters_) {
    if (parameter.grad().defined() && !parameter.grad().isfinite().all().item<bool>()) {
      return name;
    }
  }
  return "";
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
}

}  // namespace translate
