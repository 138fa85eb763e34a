#include "pairs/hash_set.h"

#include <utility>

namespace translate {

/// Returns the slot of the hash, or the free slot for it.
std::uint64_t& HashSet::slot_of(std::uint64_t hash) {
  constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15U;  // 2^64 over the golden ratio
  const auto mask = slots_.size() - 1;
  auto place = static_cast<std::size_t>((hash * kSpread) >> 32U) & mask;
  while (slots_[place] != 0 && slots_[place] != hash) {
    place = (place + 1) & mask;
  }
  return slots_[place];
}

bool HashSet::insert(std::uint64_t hash) {
  hash = hash == 0 ? 1 : hash;  // 0 means free
  auto& slot = slot_of(hash);
  if (slot == hash) {
    return false;
  }
  slot = hash;
  if (++size_ * 4 > slots_.size() * 3) {
    grow();
  }
  return true;
}

void HashSet::grow() {
  const auto before = std::exchange(slots_, std::vector<std::uint64_t>(2 * slots_.size()));
  for (const auto hash : before) {
    if (hash != 0) {
      slot_of(hash) = hash;
    }
  }
}

}  // namespace translate
