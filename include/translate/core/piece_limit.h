#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <string>

namespace translate {

/// How much of a batch is computed at a time: all of it until an allocation fails, then pieces of its rows that are at
/// most half as large as what failed, for this batch and for all that come after it.
class PieceLimit {
 public:
  /// `work` names what is computed, for messages: "a training step".
  PieceLimit(const c10::Device& device, std::string work) : device_(device), work_(std::move(work)) {}

  /// Rows to take at a time of a batch of `rows` rows with `width` positions each: pieces of about equal size within
  /// the limit, one row at least.
  [[nodiscard]] std::int64_t rows_at_once(std::int64_t rows, std::int64_t width) const;

  /// After `error` has stopped the work on `rows` rows: lowers the limit, says so in the log, and gives back memory
  /// that is kept for later. Throws RuntimeError, with what to do, where it was one row alone; what is no lack of
  /// memory is thrown on as it came. To be called where `error` was caught.
  void lower(std::int64_t rows, std::int64_t width, const std::exception& error);

  /// Calls work(begin, end) for ranges of rows that together are the batch, in their order; a range that fails for want
  /// of memory is done again in smaller ones, so that it must leave nothing behind. Throws as lower().
  void in_pieces(std::int64_t rows, std::int64_t width,
                 const std::function<void(std::int64_t begin, std::int64_t end)>& work);

 private:
  c10::Device device_;
  std::string work_;
  std::int64_t positions_ = std::numeric_limits<std::int64_t>::max();  ///< of a piece at most
};

}  // namespace translate
