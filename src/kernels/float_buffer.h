#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace translate {

/// Room for floats, aligned to a cache line, that grows and never shrinks and keeps nothing when it grows: scratch
/// memory that a kernel holds on to (usually one a thread).
class FloatBuffer {
 public:
  /// Room for `size` floats, of any value. Throws std::bad_alloc.
  float* take(std::int64_t size) {
    if (size > capacity_) {
      constexpr std::size_t kLine = 64;
      const std::size_t bytes = (static_cast<std::size_t>(size) * sizeof(float) + kLine - 1) / kLine * kLine;
      memory_.reset();
      capacity_ = 0;
      memory_.reset(static_cast<float*>(std::aligned_alloc(kLine, bytes)));
      if (!memory_) {
        throw std::bad_alloc();
      }
      capacity_ = size;
    }
    return memory_.get();
  }

  [[nodiscard]] float* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(float* memory) const { std::free(memory); }
  };
  std::unique_ptr<float, Free> memory_;
  std::int64_t capacity_ = 0;
};

}  // namespace translate
