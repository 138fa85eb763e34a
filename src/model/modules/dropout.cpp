#include "model/modules/dropout.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/processor.h"
#include "tensors/device.h"

namespace translate {

DropoutImpl::DropoutImpl(double probability) : probability_(probability) {}

DropoutMask DropoutImpl::draw() const {
  if (!is_active()) {
    return {};
  }
  return {.probability = probability_, .key = draw_key()};
}

at::Tensor DropoutImpl::forward(const at::Tensor& x, const UnpaddedLayout* sentences) {
  if (!is_active()) {
    return x;
  }
  if (!x.is_cpu()) {
    return at::dropout(x, probability_, /*train=*/true);
  }
  const auto type = x.options().dtype(at::kFloat).requires_grad(false);
  if (!sentences) {
    auto mask = at::empty(x.sizes(), type);
    fill_whole_mask(draw(), {mask.mutable_data_ptr<float>(), static_cast<std::size_t>(mask.numel())});
    return x * mask.to(x.scalar_type());
  }
  auto mask = at::ones(x.sizes(), type);
  auto* values = mask.mutable_data_ptr<float>();
  const auto width = x.size(1);
  const auto drawn = draw();
  constexpr std::int64_t kRows = 128;
  parallel_ranges(x.size(0), kRows, [&](std::int64_t begin, std::int64_t end) {
    sentences->drop(drawn, begin, end - begin, width, values + begin * width);
  });
  return x * mask.to(x.scalar_type());
}

bool LayerDrop::skips(bool is_training) const {
  constexpr int kBits = 53;  // in a double's fraction
  return is_training && probability_ > 0.0 &&
         std::ldexp(static_cast<double>(draw_key() >> (64 - kBits)), -kBits) < probability_;
}

}  // namespace translate
