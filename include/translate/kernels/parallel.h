#pragma once

#include <cstdint>
#include <functional>

namespace translate {

/// Calls work(i) once for each i in [0, count), on kernel_threads() threads, in no certain order: each thread takes the
/// next free index when it is done with its last, so that a thread which the system holds up for a while delays the
/// others by one piece of work at most. What `work` throws is thrown here, after the others ended.
void parallel_chunks(std::int64_t count, const std::function<void(std::int64_t)>& work);

/// The same for [0, count) in ranges of `size` (the last one may be shorter): work(begin, end) once for each.
void parallel_ranges(std::int64_t count, std::int64_t size,
                     const std::function<void(std::int64_t begin, std::int64_t end)>& work);

/// How many threads parallel_chunks may use: 1 inside of its pieces.
[[nodiscard]] std::int64_t parallel_threads();

}  // namespace translate
