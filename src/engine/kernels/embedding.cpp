#include "kernels/embedding.h"

#include <algorithm>

#include "kernels/row_kernels.h"

namespace translate {

// The product is rounded before the sum, as LibTorch's operators do: no loop here has both, so that no compiler joins
// them.
void embed_row(const float* entry, float factor, const float* position, std::int64_t width, float* to) {
  std::transform(entry, entry + width, to, [factor](float value) { return value * factor; });
  if (position != nullptr) {
    add_row(position, to, width);
  }
}

void embed_row_backward(const float* gradient, float factor, std::int64_t width, float* entry_gradient) {
  std::transform(gradient, gradient + width, entry_gradient, entry_gradient,
                 [factor](float value, float sum) { return sum + factor * value; });
}

}  // namespace translate
