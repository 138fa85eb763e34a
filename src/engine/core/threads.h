#pragma once

#include <cstdint>
#include <functional>

namespace translate {

/// The greatest number of threads that a user can ask for.
inline constexpr int kMostThreads = 4096;

/// Sets the number of threads of this project's own kernels; 0 = available_processors(). Returns the number set. For
/// programs that also use LibTorch's operators, see set_threads (tensors/device.h).
int set_kernel_threads(int threads);

/// The number of threads set; available_processors() if it was not set.
[[nodiscard]] int kernel_threads();

/// Calls work(i) once for each i in [0, count), on kernel_threads() threads, in unspecified order: each thread takes
/// the next free index when it has finished its last, so that a thread that is descheduled for a while delays the
/// others by one chunk of work at most. Rethrows an exception of `work` after the other threads have ended.
void parallel_chunks(std::int64_t count, const std::function<void(std::int64_t)>& work);

/// The same for [0, count) in ranges of `size` (the last one may be shorter): work(begin, end) once for each.
void parallel_ranges(std::int64_t count, std::int64_t size,
                     const std::function<void(std::int64_t begin, std::int64_t end)>& work);

/// Calls work() `count` times at once, on the calling thread and on threads of its own, for work that may last as long
/// as the process: parallel_chunks shares its threads with all callers and would run such work on one. The kernels that
/// `work` calls use one thread each. If the system lacks memory or processes for a thread, there are fewer calls, at
/// least one. Rethrows the first exception after all have ended.
void run_workers(std::int64_t count, const std::function<void()>& work);

/// The number of threads that parallel_chunks may use; 1 inside its chunks and inside workers.
[[nodiscard]] std::int64_t parallel_threads();

}  // namespace translate
