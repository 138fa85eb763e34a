#include "core/chunk_limit.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/logging.h"

namespace translate {

namespace {

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;

std::int64_t divided_up(std::int64_t dividend, std::int64_t divisor) { return (dividend + divisor - 1) / divisor; }

}  // namespace

std::int64_t ChunkLimit::rows_at_once(std::int64_t rows, std::int64_t width) const {
  if (rows == 0) {
    return 0;
  }
  const auto fitting = std::clamp<std::int64_t>(positions_ / std::max<std::int64_t>(width, 1), 1, rows);
  return divided_up(rows, divided_up(rows, fitting));
}

void ChunkLimit::lower(std::int64_t rows, std::int64_t width, const std::exception& error) {
  if (!device_->is_out_of_memory(error)) {
    throw;  // NOLINT: lower() is called while this exception is handled
  }
  device_->give_back_memory();
  const auto available = device_->available_memory() / kMebibyte;
  if (rows <= 1) {
    throw RuntimeError(fmt::format(
        "out of memory: {} does not fit in memory, even with one sentence ({} positions; {} MiB are available "
        "on {}). Make more memory available, set a smaller data.max_length, or use a smaller model",
        work_, width, available, device_->name()));
  }
  const auto half = divided_up(rows, 2);
  positions_ = half * width;
  log_warning(
      fmt::format("not enough memory for {} with {} sentences of {} positions at once ({} MiB are available on {}): "
                  "from now on it is computed in chunks of at most {} positions, with the same result",
                  work_, rows, width, available, device_->name(), positions_));
}

void ChunkLimit::in_chunks(std::int64_t rows, std::int64_t width,
                           const std::function<void(std::int64_t, std::int64_t)>& work) {
  for (std::int64_t begin = 0; begin < rows;) {
    const auto count = std::min(rows_at_once(rows, width), rows - begin);
    try {
      work(begin, begin + count);
      begin += count;
    } catch (const std::exception& error) {
      lower(count, width, error);
    }
  }
}

}  // namespace translate
