#include "translate/model/precision.h"

namespace translate {

Precision resolve_precision(Precision precision, const c10::Device& device) {
  if (precision != Precision::kAuto) {
    return precision;
  }
  return device.is_cuda() ? Precision::kBf16 : Precision::kFp32;
}

}  // namespace translate
