#pragma once

namespace translate {

/// Memory set aside for small work that cannot handle a failed allocation: Boost.Asio allocates a little in functions
/// that are noexcept, where std::bad_alloc ends the program. While an object lives, `operator new` on threads that may
/// use the reserve takes from it when the system has no more. One object at a time.
class MemoryReserve {
 public:
  MemoryReserve();
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;

  /// Refills the reserve, as far as there is memory.
  static void refill() noexcept;

  /// Sets whether this thread may use the reserve, for the object's lifetime.
  class Access {
   public:
    explicit Access(bool is_allowed) noexcept;
    ~Access();
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;

   private:
    bool before_;
  };

 private:
  void (*handler_before_)();
};

}  // namespace translate
