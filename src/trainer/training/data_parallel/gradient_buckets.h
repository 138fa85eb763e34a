#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tensors/tensor_file.h"

namespace translate::trainer {

/// Consecutive rows (entries of the first dimension) of one parameter, in one part of a bucket.
struct ParameterSlice {
  std::size_t parameter = 0;  ///< index into the parameters
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t offset = 0;  ///< of its first value in the part
};

/// One part of a bucket: the values of its slices, one after the other, then one flag for each slice.
struct BucketPart {
  std::vector<ParameterSlice> slices;
  std::int64_t values = 0;  ///< of all slices; the flags begin there
};

/// Parameters whose gradients are sent together. In memory, all parts of a bucket have the same size.
struct GradientBucket {
  std::vector<std::size_t> members;  ///< indices into the parameters
  std::vector<BucketPart> parts;
  std::int64_t part_size = 0;  ///< values and flags of the largest part
};

/// How parameters are divided.
struct BucketOptions {
  std::int64_t bytes = std::int64_t{8} << 20;  ///< the size of a bucket, unless a parameter is larger
  int parts = 1;                               ///< of each bucket: one for each process that updates its own rows
  std::set<std::string> undivided{};           ///< parameters whose rows stay together
  /// The names of all parameters in the order in which a forward pass uses them; empty: as they are given.
  std::vector<std::string> forward_order{};
};

/// Divides parameters into buckets, the last one of the forward pass first, because a backward pass comes to the last
/// layers first: buckets are sent in their order, so one that is full late holds up those after it.
/// The parts of a bucket have about the same number of values. Undivided parameters go to the part that has the fewest
/// values so far, over all buckets.
[[nodiscard]] std::vector<GradientBucket> divide_into_buckets(const NamedTensors& parameters,
                                                              const BucketOptions& options);

/// Returns the number of rows of a parameter; a scalar is one row.
[[nodiscard]] std::int64_t row_count(const at::Tensor& parameter);

/// Returns the rows of a slice in a tensor of its parameter's shape, as a view.
[[nodiscard]] at::Tensor rows_of_slice(const at::Tensor& tensor, const ParameterSlice& slice);

/// Takes a slice, its values in the shape of its rows, and its flag; values and flag share memory with the part.
using TakeSlice = std::function<void(const ParameterSlice& slice, const at::Tensor& rows, const at::Tensor& flag)>;

/// Calls `take` for each slice of `part`, whose values and flags are in `memory`: (part_size). `parameters`: those that
/// were divided.
void for_each_slice(const BucketPart& part, const at::Tensor& memory, const NamedTensors& parameters,
                    const TakeSlice& take);

}  // namespace translate::trainer
