#include "translate/model/dropout.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>

#include <cmath>
#include <mutex>

#include "translate/core/vector_clones.h"

namespace translate {
namespace {

constexpr std::int64_t kGrain = 16384;  // elements a thread takes at least

/// Mixes all bits of x into all bits of the result (a 32-bit multiply-xorshift finaliser), so that counters become
/// uniform numbers; 32-bit lanes alone, so that the loop over it vectorises everywhere.
inline std::uint32_t mix(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  x ^= x >> 16;
  return x;
}

struct MaskKey {
  std::uint32_t first;
  std::uint32_t second;
};

TRANSLATE_VECTOR_CLONES
void fill_range(float* mask, std::uint32_t begin, std::uint32_t end, MaskKey key, std::uint32_t threshold,
                float scale) {
  for (std::uint32_t i = begin; i < end; ++i) {
    const std::uint32_t random = mix(mix(i ^ key.first) + key.second);
    mask[i] = random >= threshold ? scale : 0.0F;
  }
}

std::uint64_t draw_key() {
  auto generator = at::detail::getDefaultCPUGenerator();
  const std::scoped_lock lock(generator.mutex());
  return generator.get<at::CPUGeneratorImpl>()->random64();
}

}  // namespace

void fill_dropout_mask(std::span<float> mask, double probability, std::uint64_t key) {
  const auto scale = static_cast<float>(1.0 / (1.0 - probability));
  const auto threshold = static_cast<std::uint32_t>(std::lround(probability * 4294967295.0));
  const MaskKey halves{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
  at::parallel_for(0, static_cast<std::int64_t>(mask.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    fill_range(mask.data(), static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), halves, threshold,
               scale);
  });
}

DropoutImpl::DropoutImpl(double probability) : probability_(probability) {}

at::Tensor DropoutImpl::forward(const at::Tensor& x) {
  if (!is_active()) {
    return x;
  }
  if (!x.is_cpu()) {
    return at::dropout(x, probability_, /*train=*/true);
  }
  auto mask = at::empty(x.sizes(), x.options().dtype(at::kFloat).requires_grad(false));
  fill_dropout_mask({mask.mutable_data_ptr<float>(), static_cast<std::size_t>(mask.numel())}, probability_, draw_key());
  return x * mask.to(x.scalar_type());
}

}  // namespace translate
