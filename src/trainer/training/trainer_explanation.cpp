// The part of Trainer that makes one step and tells what happens in it.

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "data/training_data.h"
#include "fused/fused_sublayers.h"
#include "training/explanation/explained_batch.h"
#include "training/loss/batch_loss.h"
#include "training/optimizer/schedule.h"
#include "training/trainer.h"

namespace translate::trainer {

namespace {

/// Returns copies of tensors by their names.
std::map<std::string, at::Tensor> copies_of(const NamedTensors& tensors) {
  std::map<std::string, at::Tensor> copies;
  for (const auto& [name, tensor] : tensors) {
    copies.emplace(name, tensor.detach().clone());
  }
  return copies;
}

const at::Tensor& tensor_named(const NamedTensors& tensors, const std::string& name) {
  return std::ranges::find(tensors, name, &NamedTensors::value_type::first)->second;
}

double norm_of(const at::Tensor& values) {
  return values.defined() ? values.to(at::kDouble).norm().item<double>() : 0.0;
}

double square(double value) { return value * value; }

/// Returns the norm of the gradients of all parameters together.
double gradient_norm(const NamedTensors& parameters) {
  double squares = 0.0;
  for (const auto& [name, parameter] : parameters) {
    squares += square(norm_of(parameter.grad()));
  }
  return std::sqrt(squares);
}

/// The state of all parameters before an update.
class BeforeUpdate {
 public:
  BeforeUpdate(NamedTensors parameters, const Optimizer& optimizer)
      : parameters_(std::move(parameters)), weights_(copies_of(parameters_)) {
    for (const auto& [name, parameter] : parameters_) {
      gradients_.emplace_back(norm_of(parameter.grad()));
    }
    for (const auto& [name, moment] : optimizer.exp_avg_sq()) {  // those that Adam updates
      const auto& gradient = tensor_named(parameters_, name).grad();
      if (gradient.defined() && gradient.dim() == 2) {
        watch(name, gradient, optimizer);
        break;
      }
    }
  }

  /// Returns the norms of each parameter, compared with the weights as they are now.
  [[nodiscard]] std::vector<UpdateNorms> norms() const {
    std::vector<UpdateNorms> norms;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const auto& [name, parameter] = parameters_[i];
      const auto before = weights_.at(name).to(at::kDouble);
      norms.push_back({.name = name,
                       .shape = parameter.sizes().vec(),
                       .gradient = gradients_[i],
                       .weight = norm_of(before),
                       .update = norm_of(parameter.detach().to(at::kDouble) - before)});
    }
    return norms;
  }

  /// Returns the watched weight with its state now.
  [[nodiscard]] std::optional<ExplainedWeight> weight(const Optimizer& optimizer) const {
    auto weight = weight_;
    if (weight) {
      const auto& parameter = tensor_named(parameters_, weight->parameter);
      weight->clipped_gradient = value(parameter.grad());
      weight->exp_avg = value(tensor_named(optimizer.exp_avg(), weight->parameter));
      weight->exp_avg_sq = value(tensor_named(optimizer.exp_avg_sq(), weight->parameter));
      weight->after = value(parameter.detach());
    }
    return weight;
  }

 private:
  void watch(const std::string& name, const at::Tensor& gradient, const Optimizer& optimizer) {
    const auto flat = gradient.abs().argmax().item<std::int64_t>();
    weight_ = ExplainedWeight{.parameter = name, .index = {flat / gradient.size(1), flat % gradient.size(1)}};
    weight_->before = value(weights_.at(name));
    weight_->gradient = value(gradient);
    weight_->exp_avg_before = value(tensor_named(optimizer.exp_avg(), name));
    weight_->exp_avg_sq_before = value(tensor_named(optimizer.exp_avg_sq(), name));
  }

  /// Returns the watched element of a tensor.
  [[nodiscard]] double value(const at::Tensor& values) const {
    return values[weight_->index[0]][weight_->index[1]].item<double>();
  }

  NamedTensors parameters_;
  std::map<std::string, at::Tensor> weights_;
  std::vector<double> gradients_;  ///< their norms, in the order of the parameters
  std::optional<ExplainedWeight> weight_;
};

std::int64_t labels_of(std::span<const Batch> batches) {
  std::int64_t labels = 0;
  for (const auto& batch : batches) {
    labels += batch.target_tokens();
  }
  return labels;
}

}  // namespace

StepExplanation Trainer::explain_step() {
  auto loader = rest_of_epoch();
  const auto batches = take_batches(loader);
  StepExplanation step;
  step.config = config_;
  step.start = checkpoint_.string();
  step.step = state_.step + 1;
  step.epoch = state_.epoch;
  step.first_batch = state_.batches_in_epoch;
  step.batches_in_epoch = static_cast<std::int64_t>(loader.batches());
  explain_batches(batches, step);
  explain_update(batches, step);
  return step;
}

/// Explains the forward passes. Weights and gradients stay as they are.
void Trainer::explain_batches(std::span<const Batch> batches, StepExplanation& step) {
  const auto settings = loss_settings(config_.training);
  const auto context = training_context(device_, precision_, config_.training.fused_kernels);
  for (const auto& batch : batches) {
    auto explained = explain_batch(model_, batch, data_.tokenizers, settings, context);
    for (auto& pair : explained.pairs) {
      pair.origin = describe_training_pair(data_, config_, pair.index);
    }
    step.batches.push_back(std::move(explained));
  }
  step.target = explain_target(model_->sizes(), settings);
  step.dropout = observe_dropout(model_, batches.front(), settings, precision_);
  const EvaluationMode evaluation(model_);
  LossSums sums;
  for (const auto& batch : batches) {  // R-Drop compares passes whose dropout differs
    sums.add(batch_loss(model_, batch,
                        {.smoothing = settings.smoothing, .guided = settings.guided, .teacher = settings.teacher},
                        context));
  }
  step.loss_without_dropout = mean_loss(sums, labels_of(batches));
}

/// Makes the step and explains it.
void Trainer::explain_update(std::span<const Batch> batches, StepExplanation& step) {
  const auto sums = gradient_pass_->run(batches);
  step.loss = mean_loss(sums, labels_of(batches));
  const auto parameters = unique_parameters(model_);
  const BeforeUpdate before(parameters, *optimizer_);
  auto& update = step.update;
  update.gradient_norm = gradient_norm(parameters);
  ++state_.step;
  trail_.add(state_.step, batches);
  update.learning_rate = learning_rate_at(config_.training, config_.model.d_model, state_.step);
  update_weights(sums);
  if (const auto refused = optimizer_->refused()) {
    throw RuntimeError(fmt::format("{} {}", describe_refused(*refused, batches), kNonFiniteAdvice));
  }
  update.parameters = before.norms();
  update.weight = before.weight(*optimizer_);
  double updates = 0.0;
  double weights = 0.0;
  for (const auto& norms : update.parameters) {
    updates += square(norms.update);
    weights += square(norms.weight);
  }
  update.update_norm = std::sqrt(updates);
  update.weight_norm = std::sqrt(weights);
  const bool is_scaled = update.weight && update.weight->gradient != 0.0;
  update.clipped_norm = is_scaled ? update.gradient_norm * update.weight->clipped_gradient / update.weight->gradient
                                  : update.gradient_norm;
}

}  // namespace translate::trainer
