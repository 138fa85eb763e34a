#pragma once

#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace translate::trainer {

/// The failure of a process, as it or its neighbours recorded it for all.
struct ProcessFailure {
  std::string message;  ///< one line that names rank, host and cause
  int exit_code = 1;
};

/// Watches the other processes of a training from a thread of its own, which exchanges signs of life with them through
/// the store, about once a second. Nothing that the main thread calls waits for the store or for another process.
///
/// There are two kinds of signs. The pulse shows that a process exists: it stops if the process is killed or stopped
/// (SIGSTOP), or if its machine is cut off. The progress, which the main thread reports, also stops if that hangs.
class NeighbourWatch {
 public:
  /// `store` must be used by nobody else from now on. `host`: the name of this machine, for messages.
  NeighbourWatch(c10::intrusive_ptr<c10d::Store> store, int rank, int size, const std::string& host);
  /// Ends the thread, unless it waits for a store that does not answer: then it is left behind.
  ~NeighbourWatch();
  NeighbourWatch(const NeighbourWatch&) = delete;
  NeighbourWatch& operator=(const NeighbourWatch&) = delete;

  /// Reports that this process has made progress: it has begun or finished a batch, or waits for others. `step`: the
  /// training step, for messages.
  void progress(std::int64_t step);
  void progress();

  /// From now on, until the matching end, this process reports progress by itself: it does work of unknown length, such
  /// as encoding the corpus or writing a checkpoint.
  void begin_long_work();
  void end_long_work();

  /// Waits until all processes have come here, and the one of rank 0, which may serve the store, until all others have
  /// left: a connection that closes earlier would be an error for those who still use it. Returns after some seconds in
  /// any case, and at once if a failure has been recorded.
  void leave_together();

  /// Returns the failure of a process, if one has been recorded, if one has given no sign of progress for `silence`, or
  /// if the store has not answered for that long.
  [[nodiscard]] std::optional<ProcessFailure> failure(std::chrono::milliseconds silence) const;

  /// Returns the failure of a process whose connection has just been lost: as it recorded it, or else that of the
  /// process whose pulse has stopped. Waits for some seconds until one of these is known.
  [[nodiscard]] ProcessFailure find_lost_process() const;

  /// Records a failure of this process for the others, or one that it has found in another. Returns when the others can
  /// read it, or after a few seconds if the store does not answer; the process of rank 0, which may serve the store,
  /// when the others have read it. The first record of all stands.
  void record(const ProcessFailure& failure);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;  ///< shared with the thread, which may be left behind
};

/// Reports progress by itself for the lifetime of the object; does nothing without a watch.
class LongWork {
 public:
  explicit LongWork(NeighbourWatch* watch) : watch_(watch) {
    if (watch_ != nullptr) {
      watch_->begin_long_work();
    }
  }
  ~LongWork() {
    if (watch_ != nullptr) {
      watch_->end_long_work();
    }
  }
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

 private:
  NeighbourWatch* watch_;
};

}  // namespace translate::trainer
