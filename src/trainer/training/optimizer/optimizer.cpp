#include "training/optimizer/optimizer.h"

#include <ATen/ATen.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

namespace translate::trainer {

void clear_gradients(const NamedTensors& parameters) {
  for (const auto& [name, parameter] : parameters) {
    at::Tensor(parameter).mutable_grad() = at::Tensor();
  }
}

Optimizer::Optimizer(NamedTensors parameters, const OptimizerOptions& options, const LayerMatrices& layer_matrices)
    : Optimizer(std::move(parameters), options, layer_matrices, nullptr) {}

Optimizer::Optimizer(ParameterShards& shards, const OptimizerOptions& options, const LayerMatrices& layer_matrices)
    : Optimizer(shards.own(), options, layer_matrices, &shards) {}

Optimizer::Optimizer(NamedTensors parameters, const OptimizerOptions& options, const LayerMatrices& layer_matrices,
                     ParameterShards* shards)
    : parameters_(std::move(parameters)), shards_(shards) {
  NamedTensors matrices;
  NamedTensors others;
  for (const auto& parameter : parameters_) {
    const bool muon = options.type == OptimizerType::kMuon && layer_matrices.contains(parameter.first);
    (muon ? matrices : others).push_back(parameter);
  }
  if (options.type == OptimizerType::kMuon && matrices.empty() && shards == nullptr) {
    throw std::invalid_argument("Muon was given none of the layers' matrices");
  }
  if (!matrices.empty()) {
    muon_.emplace(std::move(matrices), options, layer_matrices);
  }
  if (!others.empty()) {
    adam_.emplace(std::move(others), options);
  }
  const auto device = whole_parameters().front().second.device();
  refused_ = at::zeros({}, at::TensorOptions().dtype(at::kBool).device(device));
  last_update_ = at::zeros({2 + std::ssize(whole_parameters())}, at::TensorOptions().dtype(at::kDouble).device(device));
}

const NamedTensors& Optimizer::whole_parameters() const {
  return shards_ == nullptr ? parameters_ : shards_->parameters();
}

at::Tensor Optimizer::gradient_norms() const {
  std::vector<at::Tensor> gradients;
  for (const auto& [name, parameter] : parameters_) {
    if (parameter.grad().defined()) {
      gradients.push_back(parameter.grad());
    }
  }
  auto known = gradients.empty() ? std::vector<at::Tensor>() : at::_foreach_norm(gradients, 2);
  if (known.size() == parameters_.size() && !known.empty()) {
    return at::stack(known);
  }
  const auto options = whole_parameters().front().second.options().dtype(at::kFloat).requires_grad(false);
  if (parameters_.empty()) {  // a process without rows
    return at::empty({0}, options);
  }
  const auto none = at::zeros({}, options);
  std::vector<at::Tensor> norms;
  auto next = known.begin();
  for (const auto& [name, parameter] : parameters_) {
    norms.push_back(parameter.grad().defined() ? *next++ : none);
  }
  return at::stack(norms);
}

UpdateDecision Optimizer::decide(double clip_norm, const at::Tensor& loss) {
  const auto norms = (shards_ == nullptr ? gradient_norms() : shards_->whole_norms(gradient_norms())).to(at::kFloat);
  const auto norm = norms.norm();
  const auto given_loss = loss.defined() ? loss.detach().to(at::kDouble) : at::zeros({}, last_update_.options());
  const auto number = at::full({1}, static_cast<double>(++updates_), last_update_.options());
  const auto now = at::cat({number, given_loss.reshape({1}), norms.to(at::kDouble)});
  last_update_ = at::where(refused_, last_update_, now);
  refused_.logical_or_(norm.isfinite().logical_and(given_loss.isfinite()).logical_not());
  UpdateDecision decision{
      .divisor = {}, .refused = refused_.to(at::kFloat), .made = refused_.logical_not().to(at::kFloat)};
  // The fused kernels write back the gradients that they divide. On the CPU, where reading the norm costs nothing, the
  // division is skipped if the norm is small enough.
  if (clip_norm > 0.0 && !(norm.is_cpu() && norm.item<double>() <= clip_norm)) {
    decision.divisor = (norm / clip_norm).clamp_min(1.0);
  }
  return decision;
}

void Optimizer::step(double rate, double clip_norm, const at::Tensor& loss) {
  const at::NoGradGuard no_grad;
  const auto decision = decide(clip_norm, loss);
  if (muon_) {  // before Adam, whose kernels divide gradients in place
    muon_->step(rate, decision);
  }
  if (adam_) {
    adam_->step(rate, decision);
  }
}

std::optional<RefusedUpdate> Optimizer::refused() const {
  if (!refused_.item<bool>()) {
    return std::nullopt;
  }
  const auto evidence = last_update_.cpu();
  const auto* values = evidence.const_data_ptr<double>();
  RefusedUpdate update{.number = static_cast<std::int64_t>(values[0]), .loss = values[1], .gradient = ""};
  const auto& parameters = whole_parameters();
  for (std::size_t i = 0; i < parameters.size() && update.gradient.empty(); ++i) {
    if (!std::isfinite(values[2 + i])) {
      update.gradient = parameters[i].first;
    }
  }
  return update;
}

void Optimizer::skip_refused() {
  --updates_;
  refused_.zero_();
}

NamedTensors Optimizer::exp_avg() const {
  std::map<std::string, at::Tensor> by_name;
  for (auto& [name, moment] : adam_ ? adam_->exp_avg() : NamedTensors()) {
    by_name.emplace(name, moment);
  }
  for (auto& [name, momentum] : muon_ ? muon_->momenta() : NamedTensors()) {
    by_name.emplace(name, momentum);
  }
  NamedTensors moments;  // in the order of the parameters
  for (const auto& [name, parameter] : parameters_) {
    moments.emplace_back(name, by_name.at(name));
  }
  return moments;
}

NamedTensors Optimizer::exp_avg_sq() const { return adam_ ? adam_->exp_avg_sq() : NamedTensors(); }

void Optimizer::restore(const NamedTensors& exp_avg, const NamedTensors& exp_avg_sq, std::int64_t step) {
  if (adam_) {
    adam_->restore(exp_avg, exp_avg_sq, step);
  }
  if (muon_) {
    muon_->restore(exp_avg);
  }
  updates_ = step;
  refused_.zero_();
}

}  // namespace translate::trainer
