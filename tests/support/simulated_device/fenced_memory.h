#pragma once

#include <cstddef>
#include <map>

namespace translate::simulated {

/// Memory that nobody may touch: a range of addresses from which blocks of whole pages are taken. A block may be read
/// and written only between open() and close(). An access at another time, or to a block that was released, ends the
/// process with "host access to device memory" and the stack on stderr. Not thread-safe.
class FencedMemory {
 public:
  /// Reserves addresses, no memory. The first object installs the handler of SIGSEGV that reports accesses.
  FencedMemory();
  ~FencedMemory() = delete;  // tensors may outlive everything else
  FencedMemory(const FencedMemory&) = delete;
  FencedMemory& operator=(const FencedMemory&) = delete;

  /// Returns a block of at least `bytes`, more than 0, filled with bytes 0xFF: numbers read before they were written
  /// are not finite, or negative. Throws std::bad_alloc if the range is exhausted.
  [[nodiscard]] void* allocate(std::size_t bytes);
  void release(void* address);

  /// Whether the address lies in the range.
  [[nodiscard]] bool contains(const void* address) const;
  /// The bytes of the block that starts at `address`, whole pages.
  [[nodiscard]] std::size_t size_of(const void* address) const;

  /// Opens the block that starts at `address`; calls nest.
  void open(const void* address);
  void close(const void* address);

 private:
  struct Block {
    std::size_t bytes;
    int opened = 0;
  };

  [[nodiscard]] char* take(std::size_t bytes);

  char* begin_;
  std::map<const char*, Block> blocks_;
  std::map<char*, std::size_t> free_;  ///< ranges, none next to another
};

}  // namespace translate::simulated
