#include "training/data_parallel/gradient_exchange.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include "training/optimizer/optimizer.h"

namespace translate::trainer {

namespace {

/// Calls a function after a parameter's gradient has been accumulated in a backward pass.
class CallAfterGradient : public torch::autograd::FunctionPostHook {
 public:
  explicit CallAfterGradient(std::function<void()> call) : call_(std::move(call)) {}

  torch::autograd::variable_list operator()(const torch::autograd::variable_list& outputs,
                                            const torch::autograd::variable_list& /*inputs*/) override {
    call_();
    return outputs;
  }

 private:
  std::function<void()> call_;
};

}  // namespace

GradientExchange::GradientExchange(NamedTensors parameters, const std::vector<GradientBucket>& buckets,
                                   ProcessGroup& group, Precision wire, const ParameterShards* shards)
    : parameters_(std::move(parameters)), group_(group), wire_(wire), shards_(shards) {
  std::size_t own = 0;
  for (const auto& layout : buckets) {
    Bucket bucket;
    bucket.layout = layout;
    bucket.first_own = own;
    own += own_part(bucket).slices.size();
    for (const auto member : layout.members) {
      watch(member, buckets_.size());
    }
    buckets_.push_back(std::move(bucket));
  }
}

GradientExchange::~GradientExchange() {
  for (const auto& [node, hook] : hooks_) {
    node->del_post_hook(hook);
  }
}

void GradientExchange::watch(std::size_t parameter, std::size_t bucket) {
  const auto node = torch::autograd::impl::grad_accumulator(parameters_[parameter].second);
  const auto hook = node->add_post_hook(std::make_unique<CallAfterGradient>([this, bucket] {
    if (in_last_pass_ && bucket >= sent_) {
      gradient_is_complete(bucket);
    }
  }));
  hooks_.emplace_back(node, hook);
}

void GradientExchange::begin_last_pass() {
  for (auto i = sent_; i < buckets_.size(); ++i) {
    buckets_[i].missing = buckets_[i].layout.members.size();
  }
  in_last_pass_ = true;
}

void GradientExchange::gradient_is_complete(std::size_t bucket) {
  --buckets_[bucket].missing;
  while (sent_ < buckets_.size() && buckets_[sent_].missing == 0) {
    send(buckets_[sent_]);
  }
}

/// Returns the part whose sums this process gets: with shards, its own one; otherwise there is but one.
const BucketPart& GradientExchange::own_part(const Bucket& bucket) const {
  return bucket.layout.parts[shards_ == nullptr ? 0 : static_cast<std::size_t>(group_.rank())];
}

void GradientExchange::copy_gradients(Bucket& bucket) {
  const auto& layout = bucket.layout;
  if (!bucket.values.defined()) {
    bucket.values = at::zeros({std::ssize(layout.parts) * layout.part_size},
                              parameters_[layout.members.front()].second.options().requires_grad(false));
  }
  for (std::size_t i = 0; i < layout.parts.size(); ++i) {
    const auto& part = layout.parts[i];
    const auto values =
        bucket.values.narrow(/*dim=*/0, static_cast<std::int64_t>(i) * layout.part_size, layout.part_size);
    for_each_slice(part, values, parameters_, [this](const ParameterSlice& slice, at::Tensor rows, at::Tensor flag) {
      const auto& gradient = parameters_[slice.parameter].second.grad();
      flag.fill_(gradient.defined() ? 1.0 : 0.0);
      if (gradient.defined()) {
        rows.copy_(rows_of_slice(gradient, slice));
      } else {
        rows.zero_();
      }
    });
  }
}

void GradientExchange::send(Bucket& bucket) {
  const at::NoGradGuard no_grad;
  copy_gradients(bucket);
  bucket.sent = wire_ == Precision::kBf16 ? bucket.values.to(at::kBFloat16) : bucket.values;
  if (shards_ == nullptr) {
    bucket.operation = group_.start_sum(bucket.sent);
  } else {
    bucket.values = at::Tensor();
    bucket.received = at::empty_like(bucket.sent);
    bucket.operation = group_.start_exchange(bucket.received, bucket.sent);
    for (const auto member : bucket.layout.members) {
      parameters_[member].second.mutable_grad() = at::Tensor();
    }
  }
  ++sent_;
  receive_early();
}

/// With shards, gives back the memory of what has come already, and waits where too much is under way: the network is
/// the bottleneck then, and has enough to do while it waits.
void GradientExchange::receive_early() {
  constexpr std::size_t kMostUnderWay = 8;
  while (shards_ != nullptr && received_ < sent_ &&
         (sent_ - received_ > kMostUnderWay || ProcessGroup::has_ended(buckets_[received_].operation))) {
    receive(buckets_[received_]);
  }
}

void GradientExchange::receive(Bucket& bucket) {
  const at::NoGradGuard no_grad;
  group_.wait(bucket.operation);
  if (shards_ != nullptr) {
    bucket.sums = bucket.received.view({group_.size(), bucket.layout.part_size}).sum(/*dim=*/0, false, at::kFloat);
    bucket.received = at::Tensor();
  } else {
    if (wire_ == Precision::kBf16) {
      bucket.values.copy_(bucket.sent);
    }
    bucket.sums = bucket.values;
  }
  bucket.sent = at::Tensor();
  bucket.operation.reset();
  ++received_;
}

void GradientExchange::set_gradients(Bucket& bucket, double divisor) {
  const at::NoGradGuard no_grad;
  const auto& part = own_part(bucket);
  const auto flags = bucket.sums.narrow(/*dim=*/0, part.values, std::ssize(part.slices)).cpu().clone();
  bucket.sums.div_(divisor);
  for (std::size_t i = 0; i < part.slices.size(); ++i) {
    const auto& slice = part.slices[i];
    const auto tensor =
        shards_ == nullptr ? parameters_[slice.parameter].second : shards_->own()[bucket.first_own + i].second;
    const bool has_gradient = flags[static_cast<std::int64_t>(i)].item<float>() > 0.0F;
    tensor.mutable_grad() =
        has_gradient ? bucket.sums.narrow(/*dim=*/0, slice.offset, tensor.numel()).view_as(tensor) : at::Tensor();
  }
}

void GradientExchange::finish(const std::function<double()>& divisor) {
  in_last_pass_ = false;
  while (sent_ < buckets_.size()) {
    send(buckets_[sent_]);
  }
  const auto divided_by = divisor();
  while (received_ < buckets_.size()) {
    receive(buckets_[received_]);
  }
  clear_gradients(parameters_);  // a repeated pass may have added to those that were sent
  for (auto& bucket : buckets_) {
    set_gradients(bucket, divided_by);
  }
  sent_ = 0;
  received_ = 0;
}

}  // namespace translate::trainer
