#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "translate/config/options.h"

namespace translate {

/// Autocast for the life of the object: matrix products in bf16, the rest as LibTorch's lists say. Restores what was
/// set before, also when an exception passes, and drops the cache of cast weights, which goes stale at the next update.
class AutocastGuard {
 public:
  AutocastGuard(const c10::Device& device, Precision precision);
  ~AutocastGuard();
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
  c10::DeviceType device_;
  bool was_enabled_;
  c10::ScalarType previous_type_;
};

}  // namespace translate
