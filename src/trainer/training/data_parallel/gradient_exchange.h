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
#include "training/data_parallel/gradient_buckets.h"
#include "training/data_parallel/parameter_shards.h"

namespace torch::autograd {
struct Node;
}

namespace translate::trainer {

/// Adds up the gradients of all processes while the backward pass still runs: gradients are copied into buckets in the
/// order in which the pass computes them, and a full bucket is sent at once, as in PyTorch's DistributedDataParallel
/// (Li et al. 2020, "PyTorch Distributed: Experiences on accelerating data parallel training").
///
/// The processes send the same buckets in the same order, whatever order their gradients come in. A parameter for which
/// no process has a gradient (layers that layer drop left out) has none afterwards either.
///
/// With shards, each process gets the sums of its own rows alone: it receives its part of a bucket from all others and
/// adds it up, which takes half the bytes of a sum that all of them get.
class GradientExchange {
 public:
  /// `parameters`: by name, each once, the same in all processes; in single precision. `buckets` divides them. `wire`:
  /// kBf16 sends gradients in half the bytes, rounded. `shards`, if given, has the same parameters and buckets, and
  /// must outlive this object, as must `group`.
  GradientExchange(NamedTensors parameters, const std::vector<GradientBucket>& buckets, ProcessGroup& group,
                   Precision wire, const ParameterShards* shards = nullptr);
  ~GradientExchange();
  GradientExchange(const GradientExchange&) = delete;
  GradientExchange& operator=(const GradientExchange&) = delete;

  /// From now on, gradients are complete as soon as the backward pass has added to them. To be called before the last
  /// backward pass of an update; once more if that failed and is repeated from the start with the same result: buckets
  /// that were sent before stay as they are.
  void begin_last_pass();

  /// Sends the rest, waits, and sets each gradient to the sum over all processes divided by `divisor`, which is called
  /// when everything has been sent. Without shards, these are the gradients of the parameters; with shards, those of
  /// the own rows, and the parameters have none. The gradients are views of the buckets: they must be dropped before
  /// the next update's first backward pass. Throws ProcessLost.
  void finish(const std::function<double()>& divisor);

 private:
  struct Bucket {
    GradientBucket layout;
    std::size_t first_own = 0;  ///< with shards: the place of this process's first slice among its rows
    at::Tensor values;    ///< (parts * part_size): what is sent; a flag is 1 if its slice has a gradient, 0 otherwise
    at::Tensor sent;      ///< `values`, or their copy in bf16, while it is under way
    at::Tensor received;  ///< with shards, while under way: this part from each process, (processes * part_size)
    at::Tensor sums;      ///< of this process's part: (part_size)
    std::size_t missing = 0;  ///< members whose gradient is not complete
    ProcessGroup::Operation operation;
  };

  void watch(std::size_t parameter, std::size_t bucket);
  void gradient_is_complete(std::size_t bucket);
  void copy_gradients(Bucket& bucket);
  void send(Bucket& bucket);
  void receive(Bucket& bucket);
  void receive_early();
  void set_gradients(Bucket& bucket, double divisor);
  [[nodiscard]] const BucketPart& own_part(const Bucket& bucket) const;

  NamedTensors parameters_;
  ProcessGroup& group_;
  Precision wire_;
  const ParameterShards* shards_;
  std::vector<Bucket> buckets_;
  std::vector<std::pair<std::shared_ptr<torch::autograd::Node>, std::uintptr_t>> hooks_;
  std::size_t sent_ = 0;      ///< buckets sent for this update
  std::size_t received_ = 0;  ///< buckets of this update whose sums are known
  bool in_last_pass_ = false;
};

}  // namespace translate::trainer
