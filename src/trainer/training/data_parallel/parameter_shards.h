#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <vector>

#include "processes/collectives/process_group.h"
#include "tensors/tensor_file.h"
#include "training/data_parallel/gradient_buckets.h"

namespace translate::trainer {

/// The rows of the parameters that each process updates, so that it holds the optimizer's moments of these alone
/// (ZeRO stage 1; Rajbhandari et al. 2020, "ZeRO: Memory optimizations toward training trillion parameter models").
/// Every process keeps all weights: after an update it gives its rows to the others.
///
/// Tensors by parameter name are either whole, or this process's rows of them; it has rows of some of the parameters.
/// All functions that communicate must be called by all processes; they throw ProcessLost.
class ParameterShards {
 public:
  /// `parameters`: by name, each once, the same in all processes. `buckets`: as many parts as the group has processes.
  /// The group must outlive this object.
  ParameterShards(NamedTensors parameters, std::vector<GradientBucket> buckets, ProcessGroup& group);

  /// Returns this process's rows, as views of the parameters.
  [[nodiscard]] const NamedTensors& own() const { return own_; }
  /// Returns all parameters.
  [[nodiscard]] const NamedTensors& parameters() const { return parameters_; }

  /// Replaces the other processes' rows of the parameters by those that they have now.
  void share_weights();

  /// Returns the whole tensors in the first process, and none in the others. `own`: this process's rows of tensors of
  /// the parameters' shapes, all rows or none of each.
  [[nodiscard]] NamedTensors gather(const NamedTensors& own);

  /// Returns this process's rows of the first process's tensors; `whole` counts in the first process alone.
  [[nodiscard]] NamedTensors scatter(const NamedTensors& whole);

  /// Returns the norm of each whole tensor, (parameters), from those of this process's rows: (own).
  [[nodiscard]] at::Tensor whole_norms(const at::Tensor& own_norms);

 private:
  void exchange(const TakeSlice& fill, const TakeSlice& take);
  [[nodiscard]] const at::Tensor& parameter(const ParameterSlice& slice) const {
    return parameters_[slice.parameter].second;
  }

  NamedTensors parameters_;
  std::vector<GradientBucket> buckets_;
  ProcessGroup& group_;
  NamedTensors own_;
  std::vector<ParameterSlice> own_slices_;  ///< those of own_
};

}  // namespace translate::trainer
