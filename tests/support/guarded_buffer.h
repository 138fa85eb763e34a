#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>

namespace translate::testing {

/// The end of its memory at which a guarded buffer lies.
enum class GuardedEnd { kFront, kBack };

/// A buffer at one end of its memory, between two pages that may not be touched: a read or write beyond that end kills
/// the process, and a write beyond the other one is noticed by is_intact().
template <class T>
class GuardedBuffer {
 public:
  GuardedBuffer(std::size_t count, GuardedEnd end) : page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    const auto bytes = count * sizeof(T);
    inner_ = std::max<std::size_t>(1, (bytes + page_ - 1) / page_) * page_;
    void* const memory =
        ::mmap(nullptr, inner_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, /*offset=*/0);
    if (memory == MAP_FAILED) {
      throw std::system_error(errno, std::generic_category(), "mmap");
    }
    memory_ = static_cast<std::byte*>(memory);
    if (::mprotect(memory_ + page_, inner_, PROT_READ | PROT_WRITE) != 0) {
      throw std::system_error(errno, std::generic_category(), "mprotect");
    }
    std::fill_n(memory_ + page_, inner_, kUntouched);
    auto* const first = memory_ + page_ + (end == GuardedEnd::kFront ? 0 : inner_ - bytes);
    values_ = {reinterpret_cast<T*>(first), count};
    std::ranges::fill(values_, T{});
  }
  ~GuardedBuffer() { ::munmap(memory_, inner_ + 2 * page_); }
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  [[nodiscard]] std::span<T> values() const { return values_; }
  [[nodiscard]] T* data() const { return values_.data(); }

  /// Whether the rest of the memory is as it was.
  [[nodiscard]] bool is_intact() const {
    const auto* const begin = reinterpret_cast<const std::byte*>(values_.data());
    const auto is_untouched = [](std::byte byte) { return byte == kUntouched; };
    const std::byte* const first = memory_ + page_;
    return std::all_of(first, begin, is_untouched) &&
           std::all_of(begin + values_.size_bytes(), first + inner_, is_untouched);
  }

 private:
  static constexpr std::byte kUntouched{0xA5};

  std::size_t page_;
  std::size_t inner_ = 0;  ///< bytes between the guard pages
  std::byte* memory_ = nullptr;
  std::span<T> values_;
};

}  // namespace translate::testing
