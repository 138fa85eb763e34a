#include "training/gradient_exchange.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

namespace translate {

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

GradientExchange::GradientExchange(NamedTensors parameters, ProcessGroup& group, Precision wire,
                                   std::int64_t bucket_bytes)
    : parameters_(std::move(parameters)), group_(group), wire_(wire) {
  make_buckets(bucket_bytes);
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    for (const auto parameter : buckets_[bucket].members) {
      watch(parameter, bucket);
    }
  }
}

GradientExchange::~GradientExchange() {
  for (const auto& [node, hook] : hooks_) {
    node->del_post_hook(hook);
  }
}

/// A backward pass comes to the last layers first, so the buckets are filled from the last parameter on.
void GradientExchange::make_buckets(std::int64_t bucket_bytes) {
  constexpr std::int64_t kBytesOfValue = 4;
  std::int64_t size = 0;
  for (auto i = parameters_.size(); i-- > 0;) {
    const auto count = parameters_[i].second.numel();
    if (buckets_.empty() || (size + count) * kBytesOfValue > bucket_bytes) {
      buckets_.emplace_back();
      size = 0;
    }
    auto& bucket = buckets_.back();
    bucket.members.push_back(i);
    bucket.offsets.push_back(size);
    size += count;
    bucket.values = at::Tensor();
  }
  for (auto& bucket : buckets_) {
    const auto values = bucket.offsets.back() + parameters_[bucket.members.back()].second.numel();
    bucket.values = at::zeros({values + std::ssize(bucket.members)}, at::kFloat);
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
    buckets_[i].missing = buckets_[i].members.size();
  }
  in_last_pass_ = true;
}

void GradientExchange::gradient_is_complete(std::size_t bucket) {
  --buckets_[bucket].missing;
  while (sent_ < buckets_.size() && buckets_[sent_].missing == 0) {
    send(buckets_[sent_]);
  }
}

void GradientExchange::send(Bucket& bucket) {
  const at::NoGradGuard no_grad;
  auto has_gradient =
      bucket.values.narrow(/*dim=*/0, bucket.values.numel() - std::ssize(bucket.members), std::ssize(bucket.members));
  for (std::size_t i = 0; i < bucket.members.size(); ++i) {
    const auto& parameter = parameters_[bucket.members[i]].second;
    auto values = bucket.values.narrow(/*dim=*/0, bucket.offsets[i], parameter.numel());
    const auto& gradient = parameter.grad();
    has_gradient[static_cast<std::int64_t>(i)].fill_(gradient.defined() ? 1.0 : 0.0);
    if (gradient.defined()) {
      values.copy_(gradient.flatten());
    } else {
      values.zero_();
    }
  }
  bucket.sent = wire_ == Precision::kBf16 ? bucket.values.to(at::kBFloat16) : bucket.values;
  bucket.operation = group_.start_sum(bucket.sent);
  ++sent_;
}

void GradientExchange::receive(Bucket& bucket, double divisor) {
  const at::NoGradGuard no_grad;
  group_.wait(bucket.operation);
  if (wire_ == Precision::kBf16) {
    bucket.values.copy_(bucket.sent);
  }
  bucket.sent = at::Tensor();
  bucket.operation.reset();
  const auto flags = bucket.values.numel() - std::ssize(bucket.members);
  const auto* has_gradient = bucket.values.const_data_ptr<float>() + flags;
  std::vector<bool> defined;
  for (std::size_t i = 0; i < bucket.members.size(); ++i) {
    defined.push_back(has_gradient[i] > 0.0F);
  }
  bucket.values.div_(divisor);
  for (std::size_t i = 0; i < bucket.members.size(); ++i) {
    const auto& parameter = parameters_[bucket.members[i]].second;
    auto& gradient = at::Tensor(parameter).mutable_grad();
    gradient = defined[i] ? bucket.values.narrow(/*dim=*/0, bucket.offsets[i], parameter.numel()).view_as(parameter)
                          : at::Tensor();
  }
}

void GradientExchange::finish(const std::function<double()>& divisor) {
  in_last_pass_ = false;
  while (sent_ < buckets_.size()) {
    send(buckets_[sent_]);
  }
  const auto divided_by = divisor();
  for (auto& bucket : buckets_) {
    receive(bucket, divided_by);
  }
  sent_ = 0;
}

}  // namespace translate
