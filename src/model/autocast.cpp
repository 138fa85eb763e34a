#include "translate/model/autocast.h"

#include <ATen/autocast_mode.h>

namespace translate {

AutocastGuard::AutocastGuard(const c10::Device& device, Precision precision)
    : device_(device.type()),
      was_enabled_(at::autocast::is_autocast_enabled(device_)),
      previous_type_(at::autocast::get_autocast_dtype(device_)) {
  at::autocast::increment_nesting();
  at::autocast::set_autocast_enabled(device_, precision == Precision::kBf16);
  at::autocast::set_autocast_dtype(device_, c10::kBFloat16);
}

AutocastGuard::~AutocastGuard() {
  if (at::autocast::decrement_nesting() == 0) {
    at::autocast::clear_cache();
  }
  at::autocast::set_autocast_dtype(device_, previous_type_);
  at::autocast::set_autocast_enabled(device_, was_enabled_);
}

}  // namespace translate
