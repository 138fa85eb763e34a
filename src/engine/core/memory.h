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

/// A limit or usage of a resource from a control group's folder, in the reader's unit; nothing if it sets no limit.
using GroupFigure = std::optional<double>;

/// Reads the value from a group's folder, for each of the two versions of control groups.
struct GroupReaders {
  GroupFigure (*version_1)(const std::filesystem::path& group);
  GroupFigure (*version_2)(const std::filesystem::path& group);
};

/// The smaller of two figures that may be missing.
[[nodiscard]] GroupFigure smaller(GroupFigure left, GroupFigure right);

/// The smallest figure among this process's control groups, each from its own group up to the mount, for a controller
/// ("cpu", "memory"); nothing if no group has one. `root` is the file system's root; tests give another.
[[nodiscard]] GroupFigure tightest_group_figure(const std::filesystem::path& root, std::string_view controller,
                                                const GroupReaders& readers);

/// Returns the bytes that this process may still allocate on `device`. On the CPU the minimum of the system's available
/// memory, the remainder of the control groups' limits (version 1 and 2; page cache that can be dropped counts as
/// free), and the remainder of RLIMIT_AS and RLIMIT_DATA. On a GPU: its free memory. `root` is the file system's root;
/// tests give another.
[[nodiscard]] std::int64_t available_memory(const c10::Device& device, const std::filesystem::path& root = "/");

/// Returns the bytes that this process could allocate on `device` if it had the machine to itself: no larger allocation
/// can succeed. On the CPU the minimum of the system's memory and swap, the limits of the control groups (swap on top),
/// and RLIMIT_AS and RLIMIT_DATA. On a GPU: all of its memory.
[[nodiscard]] std::int64_t memory_capacity(const c10::Device& device, const std::filesystem::path& root = "/");

/// Keeps freed memory in the process instead of returning it to the system at once: training allocates the same large
/// tensors in every step, and returning them costs a page fault for each page (up to half the time of a small model).
void keep_freed_memory();

/// To be called before threads are started. Each thread reserves 64 MiB of address space for its own heap, and as much
/// for its stack as the main thread has. If the address space is limited (`ulimit -v`), the reservations alone would
/// exhaust it: then threads share one heap and have small stacks. Otherwise does nothing.
void reserve_little_address_space();

/// Returns freed memory to the system in spite of keep_freed_memory(), after one-time work that needed much of it: that
/// of the calling thread, and of other threads all but what is free at the end of their arenas.
void give_back_freed_memory();

/// The peak resident set of the process so far, in bytes.
[[nodiscard]] long peak_memory_bytes();

/// Returns memory cached by the allocators: to the system, or to the GPU for other sizes and other programs.
void give_back_memory(const c10::Device& device);

/// True if an exception reports a failed allocation, on the CPU (LibTorch's allocator, the standard library's, the
/// system's pages, oneDNN's buffers) or on a GPU.
[[nodiscard]] bool is_out_of_memory(const std::exception& error);

/// Measures how much memory the process takes on a device beyond its use when the object was made. All memory counts:
/// every allocator's, and the gaps between chunks.
class MemoryGrowth {
 public:
  /// Call give_back_memory before: cached memory hides new allocations.
  explicit MemoryGrowth(const c10::Device& device);

  /// The growth in bytes: on the CPU its peak since then (0 if the kernel does not report it); on a GPU the memory
  /// reserved now, which does not shrink by itself.
  [[nodiscard]] std::int64_t bytes() const;

 private:
  c10::Device device_;
  std::int64_t before_;
};

/// Zeroed pages of memory straight from the system, returned to it at once by the destructor: the process keeps nothing
/// of a large short-lived block, and no such block fragments the heap.
class Pages {
 public:
  Pages() = default;
  /// Throws RuntimeError if the system lacks the memory.
  explicit Pages(std::size_t bytes);
  ~Pages();
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  /// Appends pages. The present ones keep their content, but not their address: the system remaps the pages without
  /// copying. Throws RuntimeError if the system lacks the memory.
  void grow(std::size_t bytes);

  [[nodiscard]] void* address() const { return address_; }

 private:
  void* address_ = nullptr;
  std::size_t bytes_ = 0;
};

/// An array of `size` zeroed elements in such pages; a page takes memory from its first write on.
template <typename T>
class PageBlock {
 public:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

  PageBlock() = default;
  explicit PageBlock(std::size_t size) : pages_(size * sizeof(T)), size_(size) {}

  /// Appends zeroed elements up to `size` in all, which must not be below the current size. Invalidates spans.
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

/// Limits how much of a batch is computed at a time: all of it until an allocation fails, then chunks of rows at most
/// half as large as the failed one, for this batch and all later ones.
class ChunkLimit {
 public:
  /// `work` names the computation in messages: "a training step".
  ChunkLimit(const c10::Device& device, std::string work) : device_(device), work_(std::move(work)) {}

  /// The rows of a chunk, for a batch of `rows` rows with `width` positions each: chunks of about equal size within the
  /// limit, of at least one row; 0 for a batch without rows.
  [[nodiscard]] std::int64_t rows_at_once(std::int64_t rows, std::int64_t width) const;

  /// Lowers the limit after `error` has stopped the work on `rows` rows, logs it, and returns cached memory. Throws
  /// RuntimeError, with what to do, if it was a single row; rethrows errors other than a lack of memory. To be called
  /// in the handler that caught `error`.
  void lower(std::int64_t rows, std::int64_t width, const std::exception& error);

  /// Calls work(begin, end) for ranges of rows that together are the batch, in their order; a range that fails for lack
  /// of memory is repeated in smaller ones, so a failed call must leave no effects. Throws as lower().
  void in_chunks(std::int64_t rows, std::int64_t width,
                 const std::function<void(std::int64_t begin, std::int64_t end)>& work);

 private:
  c10::Device device_;
  std::string work_;
  std::int64_t positions_ = std::numeric_limits<std::int64_t>::max();  ///< of a chunk, at most
};

}  // namespace translate
