#pragma once

/// What this project asks of glibc's allocator (core/system/allocator_glibc.cpp). With another C library, and where the
/// build says TRANSLATE_PORTABLE, these functions do nothing.
namespace translate {

/// Keeps freed memory in the process instead of returning it to the system at once: training allocates the same large
/// tensors in every step, and returning them costs a page fault for each page (up to half the time of a small model).
void keep_freed_memory();

/// To be called before threads are started. Each thread reserves 64 MiB of address space for its own heap, and as much
/// for its stack as the main thread has. If the address space is limited (`ulimit -v`), the reservations alone would
/// exhaust it: then threads share one heap and have small stacks. Otherwise does nothing.
void reserve_little_address_space();

/// Returns freed memory to the system in spite of keep_freed_memory(), after one-time work that needed much of it: that
/// of the calling thread, and of other threads all but what is free at the end of their arenas, which is up to 64 MiB
/// each and theirs alone to return (give_back_own_memory()).
void give_back_freed_memory();

/// Returns what is free at the end of the calling thread's arena in spite of keep_freed_memory(). It takes
/// microseconds: for threads that may have nothing to do for long.
void give_back_own_memory();

}  // namespace translate
