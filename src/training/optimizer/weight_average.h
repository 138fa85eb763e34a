#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensors/tensor_file.h"

namespace translate {

/// `values`, one for each of `parameters`, under their names; they share memory.
[[nodiscard]] NamedTensors named_values(const NamedTensors& parameters, const std::vector<at::Tensor>& values);

/// Copies `saved` into `values`, one for each of `parameters`, matched by name. Throws CheckpointError, which says
/// `lack` ("the saved ... has no ...") of the first that is missing or of another shape.
void restore_values(const NamedTensors& parameters, const std::vector<at::Tensor>& values, const NamedTensors& saved,
                    std::string_view lack);

/// The decay after update `step` (from 1): min(decay, (1 + step) / (10 + step)), so that the start, which is random, is
/// soon forgotten.
[[nodiscard]] double average_decay_at(double decay, std::int64_t step);

/// An exponential moving average of a model's weights (Polyak & Juditsky 1992), kept beside them:
/// average = d average + (1 - d) weights after each update, d = average_decay_at(decay, step).
class WeightAverage {
 public:
  /// `parameters`: by name, each once. Starts at their present values.
  WeightAverage(NamedTensors parameters, double decay);

  /// Takes in the weights after update `step`, a function of both alone.
  void update(std::int64_t step);

  /// Starts anew from `values`, by name and all of them, or from the weights. Throws CheckpointError where names or
  /// shapes differ.
  void set(const NamedTensors& values);
  void set_to_weights();

  /// The averages by parameter name. They share memory with this object.
  [[nodiscard]] NamedTensors values() const;

  /// While one lives, the model's parameters hold the averages, where there are any, and the average the weights;
  /// nothing may be updated.
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
  std::vector<at::Tensor> averages_;  ///< of each parameter
  double decay_;
};

}  // namespace translate
