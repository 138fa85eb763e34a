#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "translate/checkpoint/training_state.h"
#include "translate/training/loss.h"

namespace translate {

/// Losses of the steps since the last report, added up on the device: reading them would wait for it.
class LossTally {
 public:
  explicit LossTally(const c10::Device& device);

  void add(const LossSums& sums);

  /// Adds the sums to the report's and begins anew. Waits for the device.
  void move_to(ReportWindow& window);

 private:
  at::Tensor plain_;
  at::Tensor smoothed_;
  at::Tensor divergence_;
};

}  // namespace translate
