#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <exception>
#include <filesystem>

namespace translate {

/// Bytes that this process may still take on `device` before something gives way. On the CPU the least of: what the
/// system has available, what the control groups (version 1 and 2, page cache that can be dropped not counted as taken)
/// leave, and what RLIMIT_AS and RLIMIT_DATA leave. On a GPU: its free memory. `root` is the file system's root; tests
/// give another.
[[nodiscard]] std::int64_t memory_at_hand(const c10::Device& device, const std::filesystem::path& root = "/");

/// Bytes that this process could have on `device` at best, with the machine to itself: no allocation above it can ever
/// succeed. On the CPU the least of the system's memory and swap, the limits of the control groups (swap on top), and
/// RLIMIT_AS and RLIMIT_DATA. On a GPU: all of its memory.
[[nodiscard]] std::int64_t memory_capacity(const c10::Device& device, const std::filesystem::path& root = "/");

/// Keeps freed memory in the process in place of giving it back to the system at once: training allocates the same
/// large tensors at every step, and giving them back costs a page fault a page (up to half the time of a small model).
void keep_freed_memory();

/// Gives freed memory back to the system all the same: after work that needed much of it once.
void give_back_freed_memory();

/// Largest amount of memory the process has held so far, in bytes (resident set).
[[nodiscard]] long peak_memory_bytes();

/// Gives back what the allocators keep for later: to the system, or to the GPU for other sizes and other programs.
void give_back_memory(const c10::Device& device);

/// True where an exception says that an allocation failed, on the CPU (LibTorch's allocator, the standard library's,
/// the system's pages, oneDNN's buffers) or on a GPU.
[[nodiscard]] bool is_out_of_memory(const std::exception& error);

/// Follows how much memory the process takes on a device beyond what it had when the object was made. It sees all of
/// it: whoever allocates, and what lies between the pieces.
class MemoryGrowth {
 public:
  /// Memory kept for later should have been given back before (give_back_memory), or it hides what is taken.
  explicit MemoryGrowth(const c10::Device& device);

  /// Bytes: the most since then on the CPU (0 where the kernel does not tell); on a GPU what is kept from other
  /// programs now, which does not shrink by itself.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  c10::Device device_;
  std::int64_t before_;
};

}  // namespace translate
