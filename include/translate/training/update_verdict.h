#pragma once

#include <ATen/core/Tensor.h>

namespace translate {

/// What an update does with the gradients, decided on the device; each a float scalar there.
struct UpdateVerdict {
  at::Tensor divisor;  ///< of all gradients; undefined: 1
  at::Tensor refused;  ///< 1: the update is not made; 0: it is
  at::Tensor made;     ///< the other way about
};

}  // namespace translate
