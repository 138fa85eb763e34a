#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace translate {

/// A buffer of floats, aligned to a cache line, that grows and never shrinks. Growing discards its contents. Kernels
/// use it as scratch memory, usually one buffer per thread.
class FloatBuffer {
 public:
  /// Returns room for `size` floats, with unspecified values. Throws std::bad_alloc.
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
