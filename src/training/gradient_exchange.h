#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "config/options.h"
#include "processes/collectives/process_group.h"
#include "tensors/tensor_file.h"

namespace torch::autograd {
struct Node;
}

namespace translate {

/// Adds up the gradients of all processes while the backward pass still runs: gradients are copied into buckets in the
/// order in which the pass computes them, and a full bucket is sent at once, as in PyTorch's DistributedDataParallel
/// (Li et al. 2020, "PyTorch Distributed: Experiences on accelerating data parallel training").
///
/// The processes send the same buckets in the same order, whatever order their gradients come in. A parameter for which
/// no process has a gradient (layers that layer drop left out) has none afterwards either.
class GradientExchange {
 public:
  /// `parameters`: by name, each once, the same in all processes; on the CPU, in single precision. `wire`: kBf16 sends
  /// gradients in half the bytes, rounded. `bucket_bytes`: the size of a bucket, unless a parameter is larger.
  GradientExchange(NamedTensors parameters, ProcessGroup& group, Precision wire,
                   std::int64_t bucket_bytes = kBucketBytes);
  ~GradientExchange();
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  /// From now on, gradients are complete as soon as the backward pass has added to them. To be called before the last
  /// backward pass of an update; once more if that failed and is repeated from the start with the same result: buckets
  /// that were sent before stay as they are.
  void begin_last_pass();

  /// Sends the rest, waits, and sets each gradient to the sum over all processes divided by `divisor`, which is called
  /// when everything has been sent. The gradients are views of the buckets: they must be dropped before the next
  /// update's first backward pass. Throws ProcessLost.
  void finish(const std::function<double()>& divisor);

  static constexpr std::int64_t kBucketBytes = std::int64_t{8} << 20;

 private:
  struct Bucket {
    std::vector<std::size_t> members;   ///< indices into parameters_
    std::vector<std::int64_t> offsets;  ///< of the members' gradients in `values`
    at::Tensor values;                  ///< the gradients, then 1 for each member that has one and 0 for the others
    at::Tensor sent;                    ///< `values`, or their copy in bf16, while it is under way
    std::size_t missing = 0;            ///< members whose gradient is not complete
    ProcessGroup::Operation operation;
  };

  void make_buckets(std::int64_t bucket_bytes);
  void watch(std::size_t parameter, std::size_t bucket);
  void gradient_is_complete(std::size_t bucket);
  void send(Bucket& bucket);
  void receive(Bucket& bucket, double divisor);

  NamedTensors parameters_;
  ProcessGroup& group_;
  Precision wire_;
  std::vector<Bucket> buckets_;
  std::vector<std::pair<std::shared_ptr<torch::autograd::Node>, std::uintptr_t>> hooks_;
  std::size_t sent_ = 0;  ///< buckets sent for this update
  bool in_last_pass_ = false;
};

}  // namespace translate
