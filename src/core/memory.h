#pragma once

#include <c10/core/Device.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace translate {

/// What a control group's folder says of a resource, in the reader's unit; nothing where it sets no limit.
using GroupFigure = std::optional<double>;

/// How the two versions of control groups say it.
struct GroupReaders {
  GroupFigure (*version_1)(const std::filesystem::path& group);
  GroupFigure (*version_2)(const std::filesystem::path& group);
};

/// The smaller of two figures that may be missing.
[[nodiscard]] GroupFigure smaller(GroupFigure left, GroupFigure right);

/// The smallest figure among this process's control groups, each from its own group up to the mount, for a controller
/// ("cpu", "memory"); nothing where no group has one. `root` is the file system's root; tests give another.
[[nodiscard]] GroupFigure tightest_group_figure(const std::filesystem::path& root, std::string_view controller,
                                                const GroupReaders& readers);

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

/// To be called before threads are started. Threads reserve 64 MiB of address space each for their own heap, and as
/// much for their stack as the main thread has. Where the address space is limited (`ulimit -v`), reservations alone
/// would exhaust it: from now on threads share one heap and have small stacks. Otherwise nothing happens.
void reserve_little_address_space();

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
/// it: whoever allocates, and what lies between the chunks.
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

/// Zeroed pages of memory straight from the system, which get them back at once when the object goes: the process keeps
/// nothing of a large block that is needed for a moment, and no such block tears holes into the heap.
class Pages {
 public:
  Pages() = default;
  /// Throws RuntimeError where the system has not as much.
  explicit Pages(std::size_t bytes);
  ~Pages();
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  /// More of them behind those that there are, which keep their content, but not their address: the system moves the
  /// pages, not what is in them. Throws RuntimeError where it has not as much.
  void grow(std::size_t bytes);

  [[nodiscard]] void* address() const { return address_; }

 private:
  void* address_ = nullptr;
  std::size_t bytes_ = 0;
};

/// An array of `size` zeroed elements in such pages; a page costs memory from the first time it is written.
template <typename T>
class PageBlock {
 public:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  PageBlock() = default;
  explicit PageBlock(std::size_t size) : pages_(size * sizeof(T)), size_(size) {}

  /// Appends zeroed elements: `size` in all, which must not be less than there are. Spans are no longer valid.
  void grow(std::size_t size) {
    pages_.grow(size * sizeof(T));
    size_ = size;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<T> span() { return {static_cast<T*>(pages_.address()), size_}; }
  [[nodiscard]] std::span<const T> span() const { return {static_cast<const T*>(pages_.address()), size_}; }

 private:
  Pages pages_;
  std::size_t size_ = 0;
};

/// How much of a batch is computed at a time: all of it until an allocation fails, then chunks of its rows that are at
/// most half as large as what failed, for this batch and for all that come after it.
class ChunkLimit {
 public:
  /// `work` names what is computed, for messages: "a training step".
  ChunkLimit(const c10::Device& device, std::string work) : device_(device), work_(std::move(work)) {}

  /// Rows to take at a time of a batch of `rows` rows with `width` positions each: chunks of about equal size within
  /// the limit, one row at least.
  [[nodiscard]] std::int64_t rows_at_once(std::int64_t rows, std::int64_t width) const;

  /// After `error` has stopped the work on `rows` rows: lowers the limit, says so in the log, and gives back memory
  /// that is kept for later. Throws RuntimeError, with what to do, where it was one row alone; what is no lack of
  /// memory is thrown on as it came. To be called where `error` was caught.
  void lower(std::int64_t rows, std::int64_t width, const std::exception& error);

  /// Calls work(begin, end) for ranges of rows that together are the batch, in their order; a range that fails for want
  /// of memory is done again in smaller ones, so that it must leave nothing behind. Throws as lower().
  void in_chunks(std::int64_t rows, std::int64_t width,
                 const std::function<void(std::int64_t begin, std::int64_t end)>& work);

 private:
  c10::Device device_;
  std::string work_;
  std::int64_t positions_ = std::numeric_limits<std::int64_t>::max();  ///< of a chunk at most
};

}  // namespace translate
