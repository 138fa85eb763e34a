#include "translate/training/class_slopes.h"

#include <ATen/ATen.h>

#include "translate/kernels/matrix_product.h"
#include "translate/kernels/parallel.h"

namespace translate {

ClassSlopes::ClassSlopes(std::int64_t classes, std::int64_t width)
    : classes_(classes),
      width_(width),
      sums_(at::zeros({whole_panels(classes) / kPanelWidth, width + 1, kPanelWidth}, at::kFloat)) {}

void ClassSlopes::add(const PackedMatrix& inputs, const PackedMatrix& by_logits) {
  float* out = sums_.mutable_data_ptr<float>();
  parallel_ranges(classes_, kClassesAtATime, [&](std::int64_t begin, std::int64_t end) {
    for (auto column = begin; column < end; column += kPanelWidth) {
      multiply_transposed(inputs, by_logits, {0, width_ + 1, column, column + kPanelWidth},
                          {out + column * (width_ + 1), kPanelWidth});
    }
  });
}

const float* ClassSlopes::of_class(std::int64_t index) const {
  const auto panel = index / kPanelWidth * kPanelWidth;
  return sums_.const_data_ptr<float>() + panel * (width_ + 1) + index % kPanelWidth;
}

}  // namespace translate
