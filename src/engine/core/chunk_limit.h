#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "core/compute_device.h"

namespace translate {

/// Limits how much of a batch is computed at a time: all of it until an allocation fails, then chunks of rows at most
/// half as large as the failed one, for this batch and all later ones.
class ChunkLimit {
 public:
  /// `work` names the computation in messages: "a training step".
  ChunkLimit(std::shared_ptr<const ComputeDevice> device, std::string work)
      : device_(std::move(device)), work_(std::move(work)) {}

  /// The rows of a chunk, for a batch of `rows` rows with `width` positions each: chunks of about equal size within the
  /// limit, of at least one row; 0 for a batch without rows.
  [[nodiscard]] std::int64_t rows_at_once(std::int64_t rows, std::int64_t width) const;

  /// Lowers the limit after `error` has stopped the work on `rows` rows, logs it, and returns cached memory. Throws
  /// RuntimeError, with what to do, if it was a single row; rethrows errors other than a lack of memory. To be called
  /// in the handler that caught `error`.
  void lower(std::int64_t rows, std::int64_t width, const std::exception& error);

  /// Calls work(begin, end) for ranges of rows that together are the batch, in their order; a range that fails for lack
  /// of memory is repeated in smaller ones, so a failed call must leave no effects. Throws as lower().
  void in_chunks(std::int64_t rows, std::int64_t width,
                 const std::function<void(std::int64_t begin, std::int64_t end)>& work);

 private:
  std::shared_ptr<const ComputeDevice> device_;
  std::string work_;
  std::int64_t positions_ = std::numeric_limits<std::int64_t>::max();  ///< of a chunk, at most
};

}  // namespace translate
