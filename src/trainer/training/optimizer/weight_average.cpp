#include "training/optimizer/weight_average.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace translate::trainer {

namespace {

std::vector<at::Tensor> tensors_of(const NamedTensors& parameters) {
  std::vector<at::Tensor> tensors;
  for (const auto& [name, parameter] : parameters) {
    tensors.push_back(parameter.detach());
  }
  return tensors;
}

}  // namespace

double average_decay_at(double decay, std::int64_t step) {
  const auto at = static_cast<double>(step);
  return std::min(decay, (1.0 + at) / (10.0 + at));
}

WeightAverage::WeightAverage(NamedTensors parameters, double decay)
    : parameters_(std::move(parameters)), decay_(decay) {
  for (const auto& weights : tensors_of(parameters_)) {
    averages_.push_back(weights.clone());
  }
}

void WeightAverage::update(std::int64_t step) {
  at::_foreach_lerp_(averages_, tensors_of(parameters_), 1.0 - average_decay_at(decay_, step));
}

void WeightAverage::set(const NamedTensors& values) {
  restore_values(parameters_, averages_, values, "the saved average has no weights");
}

void WeightAverage::set_to_weights() { set(parameters_); }

NamedTensors WeightAverage::values() const { return named_values(parameters_, averages_); }

void WeightAverage::exchange() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto weights = parameters_[i].second.detach();
    parameters_[i].second.set_data(averages_[i]);
    averages_[i] = weights;
  }
}

}  // namespace translate::trainer
