#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace translate {

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

}  // namespace translate
