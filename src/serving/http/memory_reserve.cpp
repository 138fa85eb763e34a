#include "serving/http/memory_reserve.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace translate {
namespace {

// Several heap blocks, since another thread may take one or two before the allocation is retried.
constexpr std::size_t kBlocks = 32;
constexpr std::size_t kBlockBytes = 32UL * 1024;

std::array<std::atomic<void*>, kBlocks> blocks{};
thread_local bool is_allowed_here = false;

bool release_block() noexcept {
  for (auto& place : blocks) {
    if (void* block = place.exchange(nullptr)) {
      std::free(block);
      return true;
    }
  }
  return false;
}

/// The handler of `operator new`, which then retries.
void handle_failure() {
  if (!is_allowed_here || !release_block()) {
    throw std::bad_alloc();
  }
}

}  // namespace

MemoryReserve::MemoryReserve() : handler_before_(std::set_new_handler(handle_failure)) { refill(); }

MemoryReserve::~MemoryReserve() {
  std::set_new_handler(handler_before_);
  while (release_block()) {
  }
}

void MemoryReserve::refill() noexcept {
  for (auto& place : blocks) {
    void* none = nullptr;
    if (place.load() != nullptr) continue;
    void* block = std::malloc(kBlockBytes);
    if (block == nullptr) return;
    if (!place.compare_exchange_strong(none, block)) std::free(block);
  }
}

MemoryReserve::Access::Access(bool is_allowed) noexcept : before_(is_allowed_here) { is_allowed_here = is_allowed; }

MemoryReserve::Access::~Access() { is_allowed_here = before_; }

}  // namespace translate
