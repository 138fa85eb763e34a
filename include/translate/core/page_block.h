#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace translate {

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

}  // namespace translate
