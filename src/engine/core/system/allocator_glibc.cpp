#include <cstddef>  // defines __GLIBC__

#include "core/system/allocator.h"

#if defined(__GLIBC__) && !defined(TRANSLATE_PORTABLE)

#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

#include <atomic>
#include <new>

namespace translate {

namespace {

/// Sets how many free bytes glibc keeps at the end of each of its arenas, and how many it gets in advance there.
void set_kept_memory(int kept, int ahead) {
  mallopt(M_TRIM_THRESHOLD, kept);
  mallopt(M_TOP_PAD, ahead);
}

constexpr int kKeptBytes = 1 << 30;
constexpr int kBytesAhead = 64 << 20;

std::atomic<bool> keeps_memory = false;  // as glibc's own settings, of the whole process

}  // namespace

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc accepts
  set_kept_memory(kKeptBytes, kBytesAhead);
  keeps_memory = true;
}

void reserve_little_address_space() {
  constexpr std::size_t kStack = std::size_t{1} << 20U;
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return;
  }
  ::mallopt(M_ARENA_MAX, 1);
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) == 0) {
    if (::pthread_attr_setstacksize(&attributes, kStack) == 0) {
      (void)::pthread_setattr_default_np(&attributes);
    }
    (void)::pthread_attr_destroy(&attributes);
  }
}

void give_back_freed_memory() {
  malloc_trim(0);  // all but what is free at the end of an arena of another thread than the first
  give_back_own_memory();
}

void give_back_own_memory() {
  if (!keeps_memory) {
    return;
  }
  // With small limits, glibc gives back the end of a thread's arena when that thread frees at least 64 KiB.
  set_kept_memory(0, 0);
  ::operator delete(::operator new(std::size_t{128} << 10U));
  set_kept_memory(kKeptBytes, kBytesAhead);
}

}  // namespace translate

#endif
