#include "translate/model/layer_drop.h"

#include <cmath>

#include "translate/core/random.h"

namespace translate {

bool LayerDrop::skips(bool is_training) const {
  constexpr int kBits = 53;  // of a double's fraction
  return is_training && probability_ > 0.0 &&
         std::ldexp(static_cast<double>(draw_key() >> (64 - kBits)), -kBits) < probability_;
}

}  // namespace translate
