#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "tensors/tensor_file.h"

namespace translate::trainer {

/// Returns the decay after update `step` (from 1): min(decay, (1 + step) / (10 + step)), so that the random initial
/// weights are soon forgotten.
[[nodiscard]] double average_decay_at(double decay, std::int64_t step);

/// An exponential moving average of a model's weights (Polyak & Juditsky 1992), kept beside them:
/// average = d average + (1 - d) weights after each update, d = average_decay_at(decay, step).
class WeightAverage {
 public:
  /// `parameters`: by name, each once. The averages start at their present values.
  WeightAverage(NamedTensors parameters, double decay);

  /// Adds the weights after update `step` to the average, as a function of both alone.
  void update(std::int64_t step);

  /// Restarts from `values`, by name and all of them, or from the weights. Throws CheckpointError if names or shapes
  /// differ.
  void set(const NamedTensors& values);
  void set_to_weights();

  /// Returns the averages by parameter name. They share memory with this object.
  [[nodiscard]] NamedTensors values() const;

  /// For the lifetime of this object the model's parameters hold the averages, if there are any, and the average holds
  /// the weights; nothing may be updated.
  class InPlace {
   public:
    explicit InPlace(std::optional<WeightAverage>& average) : average_(average) { exchange(); }
    ~InPlace() { exchange(); }
    InPlace(const InPlace&) = delete;
    InPlace& operator=(const InPlace&) = delete;

   private:
    void exchange() {
      if (average_) {
        average_->exchange();
      }
    }

    std::optional<WeightAverage>& average_;
  };

 private:
  void exchange();

  NamedTensors parameters_;
  std::vector<at::Tensor> averages_;  ///< one per parameter
  double decay_;
};

}  // namespace translate::trainer
