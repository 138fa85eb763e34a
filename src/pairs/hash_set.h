#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace translate {

/// A set of 64-bit hashes in 11 to 21 bytes each, for millions of them.
class HashSet {
 public:
  /// Returns false if it is present already.
  bool insert(std::uint64_t hash);

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void grow();
  [[nodiscard]] std::uint64_t& slot_of(std::uint64_t hash);

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(1024);  ///< 0: free; a power of two
  std::size_t size_ = 0;
};

}  // namespace translate
