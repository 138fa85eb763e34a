#include "translate/model/key_value_cache.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace translate {
namespace {

constexpr std::int64_t kFirstCapacity = 16;  // positions

/// A buffer for more positions, holding those of `old` (batch, heads, length, d_k).
at::Tensor grown(const at::Tensor& old, std::int64_t capacity) {
  auto larger = at::empty({old.size(0), old.size(1), capacity, old.size(3)}, old.options());
  larger.narrow(/*dim=*/2, /*start=*/0, old.size(2)).copy_(old);
  return larger;
}

KeyValue selected(const KeyValue& all, const at::Tensor& rows) {
  return {.key = all.key.index_select(0, rows), .value = all.value.index_select(0, rows)};
}

}  // namespace

KeyValueCache::KeyValueCache(std::vector<KeyValue> cross, at::Tensor source_mask)
    : cross_(std::move(cross)), self_(cross_.size()), source_mask_(std::move(source_mask)) {}

KeyValue KeyValueCache::append(std::size_t layer, const KeyValue& step) {
  auto& kept = self_[layer];
  if (!kept.key.defined()) {
    kept = {.key = grown(step.key, kFirstCapacity), .value = grown(step.value, kFirstCapacity)};
  } else if (kept.key.size(2) == length_) {
    kept = {.key = grown(kept.key, 2 * length_), .value = grown(kept.value, 2 * length_)};
  }
  kept.key.narrow(2, length_, 1).copy_(step.key);
  kept.value.narrow(2, length_, 1).copy_(step.value);
  return {.key = kept.key.narrow(2, 0, length_ + 1), .value = kept.value.narrow(2, 0, length_ + 1)};
}

void KeyValueCache::select(const at::Tensor& rows) {
  for (auto& layer : cross_) {
    layer = selected(layer, rows);
  }
  for (auto& layer : self_) {
    if (layer.key.defined()) {
      layer = selected(layer, rows);
    }
  }
  source_mask_ = source_mask_.index_select(0, rows);
}

}  // namespace translate
