#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/simulated_device/stack_trace.h"

namespace translate::simulated {

/// Why the host waited for the device.
enum class WaitKind {
  kValue,            ///< it read a value: item(), equal(), a condition
  kCopyToHost,       ///< a copy to the host that was not asked to be asynchronous
  kCopyToDevice,     ///< the same to the device
  kPageableMemory,   ///< an asynchronous copy from or to memory that is not pinned, which CUDA first has to stage
  kSizeOfResult,     ///< an operator whose result has as many elements as values are found: nonzero()
  kSynchronisation,  ///< a stream, an event or the device was waited for explicitly
};

/// A time when the host waited until the device had done all of its work.
struct Wait {
  WaitKind kind;
  std::string operation;
  StackTrace stack;

  [[nodiscard]] std::string text() const;
};

/// A use of the host's memory while a copy from or to it was in flight.
struct Hazard {
  std::string what;
  StackTrace stack;  ///< where the copy was enqueued

  [[nodiscard]] std::string text() const;
};

/// The order of work on the device. Operators run at once, but asynchronous copies stay in flight until the host waits:
/// a copy to the host delivers only then, and until then its destination holds bytes 0xFF; the source of a copy to the
/// device must not change before. Not thread-safe.
class WorkQueue {
 public:
  /// Records a copy from pinned memory whose content, already on the device, must stay as it is for now.
  void add_copy_to_device(const at::Tensor& source);

  /// Poisons `destination`, contiguous, and delivers `content` (on the CPU) there later.
  void add_copy_to_host(const at::Tensor& content, const at::Tensor& destination);

  /// Records a wait of the host, during which all work is done.
  void wait(WaitKind kind, std::string operation);

  /// Does all work without recording a wait, and finds hazards.
  void finish();

  /// The number of the newest work; for events.
  [[nodiscard]] std::uint64_t newest() const { return newest_; }
  [[nodiscard]] bool is_done(std::uint64_t number) const { return number <= done_; }

  /// Returns what was recorded since the last call.
  [[nodiscard]] std::vector<Wait> take_waits();
  [[nodiscard]] std::vector<Hazard> take_hazards();

 private:
  /// A copy in flight. It holds its tensors, as the allocators of a real device do.
  struct Copy {
    at::Tensor host;         ///< source or destination
    at::Tensor content;      ///< to deliver; undefined for a copy to the device
    std::uint64_t checksum;  ///< of the host's bytes, as they must still be
    StackTrace stack;
  };

  void add(Copy copy);

  std::vector<Copy> in_flight_;
  std::uint64_t newest_ = 0;
  std::uint64_t done_ = 0;
  std::vector<Wait> waits_;
  std::vector<Hazard> hazards_;
};

}  // namespace translate::simulated
