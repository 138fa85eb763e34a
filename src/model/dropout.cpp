#include "translate/model/dropout.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

#include "translate/kernels/parallel.h"

namespace translate {

DropoutImpl::DropoutImpl(double probability) : probability_(probability) {}

DropoutMask DropoutImpl::draw() const {
  if (!is_active()) {
    return {};
  }
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::scoped_lock lock(generator.mutex());
  return {.probability = probability_, .key = generator.get<at::CPUGeneratorImpl>()->random64()};
}

at::Tensor DropoutImpl::forward(const at::Tensor& x) {
  if (!is_active()) {
    return x;
  }
  if (!x.is_cpu()) {
    return at::dropout(x, probability_, /*train=*/true);
  }
  auto mask = at::empty(x.sizes(), x.options().dtype(at::kFloat).requires_grad(false));
  fill_whole_mask(draw(), {mask.mutable_data_ptr<float>(), static_cast<std::size_t>(mask.numel())});
  return x * mask.to(x.scalar_type());
}

at::Tensor DropoutImpl::forward_packed(const at::Tensor& x, const PackedSentences& sentences) {
  if (!is_active()) {
    return x;
  }
  const auto width = x.size(1);
  auto mask = at::ones(x.sizes(), x.options().requires_grad(false));
  auto* values = mask.mutable_data_ptr<float>();
  const auto drawn = draw();
  constexpr std::int64_t kRows = 128;
  parallel_ranges(x.size(0), kRows, [&](std::int64_t begin, std::int64_t end) {
    sentences.drop(drawn, begin, end - begin, width, values + begin * width);
  });
  return x * mask;
}

}  // namespace translate
