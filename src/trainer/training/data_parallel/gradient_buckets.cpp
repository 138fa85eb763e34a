#include "training/data_parallel/gradient_buckets.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>

namespace translate::trainer {

namespace {

constexpr std::int64_t kBytesOfValue = 4;

/// Adds slices to the parts of a bucket, and knows how many values each part has in all buckets.
class Divider {
 public:
  Divider(const NamedTensors& parameters, const BucketOptions& options)
      : parameters_(parameters), options_(options), loads_(static_cast<std::size_t>(options.parts)) {}

  void divide(GradientBucket& bucket) {
    bucket.parts.resize(loads_.size());
    std::int64_t divisible = 0;
    for (const auto member : bucket.members) {
      divisible += is_divided(member) ? parameters_[member].second.numel() : 0;
    }
    std::int64_t begin = 0;
    for (const auto member : bucket.members) {
      if (is_divided(member)) {
        divide_rows(bucket, member, begin, divisible);
        begin += parameters_[member].second.numel();
      } else {
        const auto least = std::ranges::min_element(loads_) - loads_.begin();
        add(bucket, static_cast<std::size_t>(least), member, /*first_row=*/0, row_count(parameters_[member].second));
      }
    }
    for (const auto& part : bucket.parts) {
      bucket.part_size = std::max(bucket.part_size, part.values + std::ssize(part.slices));
    }
  }

 private:
  [[nodiscard]] bool is_divided(std::size_t member) const {
    return !options_.undivided.contains(parameters_[member].first);
  }

  /// A row belongs to the part in which its first value would lie if the bucket were cut into parts of equal size.
  void divide_rows(GradientBucket& bucket, std::size_t member, std::int64_t begin, std::int64_t total) {
    const auto rows = row_count(parameters_[member].second);
    const auto width = rows == 0 ? 0 : parameters_[member].second.numel() / rows;
    const auto parts = std::ssize(bucket.parts);
    const auto part_of = [&](std::int64_t row) { return (begin + row * width) * parts / total; };
    for (std::int64_t row = 0; row < rows;) {
      const auto part = part_of(row);
      auto end = row + 1;
      while (end < rows && part_of(end) == part) {
        ++end;
      }
      add(bucket, static_cast<std::size_t>(part), member, row, end - row);
      row = end;
    }
  }

  void add(GradientBucket& bucket, std::size_t part, std::size_t member, std::int64_t first_row, std::int64_t rows) {
    const auto& parameter = parameters_[member].second;
    const auto values = parameter.numel() / row_count(parameter) * rows;
    auto& to = bucket.parts[part];
    to.slices.push_back({.parameter = member, .first_row = first_row, .rows = rows, .offset = to.values});
    to.values += values;
    loads_[part] += values;
  }

  const NamedTensors& parameters_;
  const BucketOptions& options_;
  std::vector<std::int64_t> loads_;  ///< values of each part
};

/// Returns the indices of the parameters in the order in which a backward pass completes their gradients.
std::vector<std::size_t> backward_order(const NamedTensors& parameters, const std::vector<std::string>& forward_order) {
  std::vector<std::size_t> order(parameters.size());
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  std::unordered_map<std::string, std::size_t> places;
  for (const auto& name : forward_order) {
    places.emplace(name, places.size());
  }
  if (!places.empty()) {
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](std::size_t index) { return places.at(parameters[index].first); });
  }
  return order;
}

}  // namespace

std::int64_t row_count(const at::Tensor& parameter) { return parameter.dim() == 0 ? 1 : parameter.size(0); }

at::Tensor rows_of_slice(const at::Tensor& tensor, const ParameterSlice& slice) {
  return tensor.dim() == 0 ? tensor : tensor.narrow(/*dim=*/0, slice.first_row, slice.rows);
}

void for_each_slice(const BucketPart& part, const at::Tensor& memory, const NamedTensors& parameters,
                    const TakeSlice& take) {
  for (std::size_t i = 0; i < part.slices.size(); ++i) {
    const auto& slice = part.slices[i];
    const auto like = rows_of_slice(parameters[slice.parameter].second, slice);
    take(slice, memory.narrow(/*dim=*/0, slice.offset, like.numel()).view(like.sizes()),
         memory[part.values + static_cast<std::int64_t>(i)]);
  }
}

std::vector<GradientBucket> divide_into_buckets(const NamedTensors& parameters, const BucketOptions& options) {
  std::vector<GradientBucket> buckets;
  std::int64_t size = 0;
  for (const auto i : backward_order(parameters, options.forward_order)) {
    const auto count = parameters[i].second.numel();
    if (buckets.empty() || (size + count) * kBytesOfValue > options.bytes) {
      buckets.emplace_back();
      size = 0;
    }
    buckets.back().members.push_back(i);
    size += count;
  }
  Divider divider(parameters, options);
  for (auto& bucket : buckets) {
    divider.divide(bucket);
  }
  return buckets;
}

}  // namespace translate::trainer
