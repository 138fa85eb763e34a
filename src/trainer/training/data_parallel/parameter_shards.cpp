#include "training/data_parallel/parameter_shards.h"

#include <ATen/ATen.h>

#include <map>
#include <utility>

namespace translate::trainer {

ParameterShards::ParameterShards(NamedTensors parameters, std::vector<GradientBucket> buckets, ProcessGroup& group)
    : parameters_(std::move(parameters)), buckets_(std::move(buckets)), group_(group) {
  for (const auto& bucket : buckets_) {
    for (const auto& slice : bucket.parts[static_cast<std::size_t>(group_.rank())].slices) {
      own_.emplace_back(parameters_[slice.parameter].first, rows_of_slice(parameter(slice).detach(), slice));
      own_slices_.push_back(slice);
    }
  }
}

/// Calls fill() for each own slice, whose values are zero before, and take() for the slices of all processes. A bucket
/// is sent before the one before it is waited for.
void ParameterShards::exchange(const TakeSlice& fill, const TakeSlice& take) {
  const at::NoGradGuard no_grad;
  const auto options = parameters_.front().second.options().requires_grad(false);
  at::Tensor all_before;
  ProcessGroup::Operation before;
  for (std::size_t i = 0; i <= buckets_.size(); ++i) {
    at::Tensor all;
    ProcessGroup::Operation operation;
    if (i < buckets_.size()) {
      auto own = at::zeros({buckets_[i].part_size}, options);
      for_each_slice(buckets_[i].parts[static_cast<std::size_t>(group_.rank())], own, parameters_, fill);
      all = at::empty({group_.size() * buckets_[i].part_size}, options);
      operation = group_.start_gather(all, own);
    }
    if (i > 0) {
      group_.wait(before);
      const auto& bucket = buckets_[i - 1];
      for (int rank = 0; rank < group_.size(); ++rank) {
        const auto part = all_before.narrow(/*dim=*/0, rank * bucket.part_size, bucket.part_size);
        for_each_slice(bucket.parts[static_cast<std::size_t>(rank)], part, parameters_, take);
      }
    }
    all_before = all;
    before = operation;
  }
}

void ParameterShards::share_weights() {
  exchange([this](const ParameterSlice& slice, const at::Tensor& rows,
                  const at::Tensor& /*flag*/) { rows.copy_(rows_of_slice(parameter(slice), slice)); },
           [this](const ParameterSlice& slice, const at::Tensor& rows, const at::Tensor& /*flag*/) {
             rows_of_slice(parameter(slice), slice).copy_(rows);
           });
}

NamedTensors ParameterShards::gather(const NamedTensors& own) {
  const std::map<std::string, at::Tensor> by_name(own.begin(), own.end());
  std::map<std::size_t, at::Tensor> whole;
  exchange(
      [&](const ParameterSlice& slice, const at::Tensor& rows, const at::Tensor& flag) {
        if (const auto found = by_name.find(parameters_[slice.parameter].first); found != by_name.end()) {
          rows.copy_(found->second);
          flag.fill_(1.0);
        }
      },
      [&](const ParameterSlice& slice, const at::Tensor& rows, const at::Tensor& flag) {
        if (group_.is_first() && flag.item<float>() > 0.0F) {
          auto& tensor = whole[slice.parameter];
          if (!tensor.defined()) {
            tensor = at::empty_like(parameter(slice), at::TensorOptions().requires_grad(false));
          }
          rows_of_slice(tensor, slice).copy_(rows);
        }
      });
  NamedTensors named;
  for (const auto& [i, tensor] : whole) {
    named.emplace_back(parameters_[i].first, tensor);
  }
  return named;
}

NamedTensors ParameterShards::scatter(const NamedTensors& whole) {
  const at::NoGradGuard no_grad;
  const std::map<std::string, at::Tensor> by_name(whole.begin(), whole.end());
  const auto given = at::zeros({std::ssize(parameters_)}, at::kLong);
  for (std::size_t i = 0; group_.is_first() && i < parameters_.size(); ++i) {
    given[static_cast<std::int64_t>(i)].fill_(by_name.contains(parameters_[i].first) ? 1 : 0);
  }
  group_.copy_from_first({given});
  NamedTensors own;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (given[static_cast<std::int64_t>(i)].item<std::int64_t>() == 0) {
      continue;
    }
    const auto& [name, parameter] = parameters_[i];
    auto tensor = group_.is_first() ? by_name.at(name).to(parameter.device()).contiguous()
                                    : at::empty_like(parameter, at::TensorOptions().requires_grad(false));
    group_.copy_from_first({tensor});
    for (const auto& slice : own_slices_) {
      if (slice.parameter == i) {
        own.emplace_back(name, rows_of_slice(tensor, slice).clone());
      }
    }
  }
  return own;
}

at::Tensor ParameterShards::whole_norms(const at::Tensor& own_norms) {
  const auto options = own_norms.options().dtype(at::kDouble);
  auto squares = at::zeros({std::ssize(parameters_)}, options);
  std::vector<std::int64_t> places;
  for (const auto& slice : own_slices_) {
    places.push_back(static_cast<std::int64_t>(slice.parameter));
  }
  squares.index_copy_(/*dim=*/0, at::tensor(places, at::kLong).to(own_norms.device()),
                      own_norms.to(at::kDouble).square());
  group_.sum(squares);
  return squares.sqrt();
}

}  // namespace translate::trainer
