#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <vector>

#include "core/error.h"
#include "processes/collectives/device_backend.h"
#include "processes/collectives/neighbour_watch.h"
#include "processes/process_place.h"

namespace translate::trainer {

/// Thrown in a process if another one has failed, ended, or gives no sign of life. The message names it.
class ProcessLost : public RuntimeError {
 public:
  explicit ProcessLost(const ProcessFailure& failure) : RuntimeError(failure.message) {}
};

/// The processes of one training, and their collective operations: every process must call the same ones in the same
/// order. With one process, all of them do nothing and cost nothing.
///
/// Nobody waits for ever: a wait throws ProcessLost if another process has recorded a failure (fail()), if the
/// connection to it is lost, or if it has not made progress for a while (silence_limit()). Tensors are contiguous, and
/// on the CPU or the device that was connected. Built on c10d of LibTorch: a TCPStore, Gloo for the collective
/// operations on the CPU, and NCCL for those on GPUs.
class ProcessGroup {
 public:
  /// One process by itself.
  ProcessGroup() = default;

  /// Joins the others at their store, and waits until all have come. Throws RuntimeError if they have not within
  /// `limits.start`, which names the missing ranks, or if the store cannot be reached or served (a port in use);
  /// ConfigError if two processes have the same rank, or if they are of different versions.
  ProcessGroup(const ProcessPlace& place, const ProcessLimits& limits);

  /// Makes the backend of c10d that connects the devices of `size` processes, with a store of its own.
  using BackendMaker = std::function<c10::intrusive_ptr<c10d::Backend>(const c10::intrusive_ptr<c10d::Store>& store,
                                                                       int rank, int size)>;
  /// Connects this process's device with those of the others, unless it is the CPU: from now on, operations on its
  /// tensors are those of the backend that `make` returns. All processes must call this, with devices of one type. By
  /// itself, a process connects nothing. Throws ConfigError if the types differ, RuntimeError if the devices cannot be
  /// connected, what `make` throws, and ProcessLost.
  void connect_device(const c10::Device& device, const BackendMaker& make);

  /// Waits for all processes before it closes the connections. After a failure, and during an exception, it waits for
  /// nothing, and pending operations are left to the end of the process.
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  [[nodiscard]] int rank() const { return place_.rank; }
  [[nodiscard]] int size() const { return place_.size; }
  [[nodiscard]] bool is_alone() const { return place_.size == 1; }
  /// True for the process that writes files and reports.
  [[nodiscard]] bool is_first() const { return place_.rank == 0; }
  [[nodiscard]] const ProcessPlace& place() const { return place_; }

  /// A collective operation that is under way.
  using Operation = DeviceBackend::Operation;

  /// Starts to replace `tensor` by the sum over all processes, the same bits in each. It must not be touched before
  /// wait().
  [[nodiscard]] Operation start_sum(at::Tensor tensor);
  /// Starts to copy the `own` tensors of all processes, which have the same size, into `all`, by rank. Neither must be
  /// touched before wait().
  [[nodiscard]] Operation start_gather(at::Tensor all, at::Tensor own);
  /// Starts to send part i of `sent` to the process of rank i, for all i, and to receive theirs for this one in
  /// `received`, by rank. Both have as many parts of equal size as there are processes; neither must be touched before
  /// wait().
  [[nodiscard]] Operation start_exchange(at::Tensor received, at::Tensor sent);
  /// Waits for the end of an operation; nullptr is none. An operation on a device waits for its work there. Throws
  /// ProcessLost.
  void wait(const Operation& operation);
  /// Returns whether wait() would return at once. Does not wait.
  [[nodiscard]] static bool has_ended(const Operation& operation);

  /// Replaces `tensor` by the sum over all processes.
  void sum(const at::Tensor& tensor);
  /// Replaces the tensors by those of the first process.
  void copy_from_first(const std::vector<at::Tensor>& tensors);
  /// Returns the text of the first process.
  [[nodiscard]] std::string text_of_first(const std::string& text);
  /// Returns the texts of all processes, by rank.
  [[nodiscard]] std::vector<std::string> gather_texts(const std::string& text);
  /// Returns the lists of all processes one after the other, by rank. Texts may hold any bytes.
  [[nodiscard]] std::vector<std::string> gather_lists(const std::vector<std::string>& texts);
  /// Waits until all processes have come to this point.
  void wait_for_all();

  /// Calls work() in the first process, then in one process of each other machine, then in all others, so that those
  /// can use the files that it wrote.
  void in_turns(const std::function<void()>& work);

  /// Reports progress for the others: at each batch, at least. `step`: the training step.
  void progress(std::int64_t step);
  /// Reports progress by itself for the lifetime of the result: for work of unknown length.
  [[nodiscard]] LongWork long_work() { return LongWork(watch_.get()); }
  /// Notes the time that a batch took: silence_limit() is at least ten times the longest.
  void note_batch(std::chrono::duration<double> duration);
  /// The time without a sign of progress from another process after which it counts as lost.
  [[nodiscard]] std::chrono::milliseconds silence_limit() const;

  /// Throws ProcessLost if another process has recorded a failure or has not made progress for too long. Does not wait.
  void check_neighbours();

  /// Records that this process ends because of `error`, for the others. Records nothing for a ProcessLost, which others
  /// find by themselves. Afterwards no operation may be started.
  void fail(const std::exception& error) noexcept;

 private:
  void join(const ProcessLimits& limits);
  void check_device_types(const c10::Device& device);
  [[nodiscard]] Operation start(const at::Tensor& tensor, const std::function<Operation(c10d::Backend&)>& operation);
  void wait_for_device(const Operation& operation);
  [[nodiscard]] at::Tensor gather_bytes(const at::Tensor& bytes, std::int64_t longest);
  [[noreturn]] void throw_lost(const ProcessFailure& failure);

  ProcessPlace place_;
  ProcessLimits limits_;
  std::string host_;
  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<c10d::Backend> backend_;  ///< for tensors on the CPU
  std::unique_ptr<NeighbourWatch> watch_;
  std::optional<DeviceBackend> device_;
  std::int64_t step_ = 0;
  std::chrono::duration<double> longest_batch_{0.0};
  bool failed_ = false;
};

}  // namespace translate::trainer
