#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/safetensors.h"
#include "core/output_file.h"
#include "kernels/matrix/packed_matrix.h"

namespace translate::trainer {

/// Returns the values of a contiguous tensor of floats; null if it is undefined.
[[nodiscard]] inline float* floats(const at::Tensor& x) { return x.defined() ? x.mutable_data_ptr<float>() : nullptr; }

/// Returns a contiguous matrix of floats as rows for the kernels.
[[nodiscard]] inline ConstRows rows_of(const at::Tensor& x) { return {x.const_data_ptr<float>(), x.size(1)}; }

/// LibTorch's name of a type, and the reverse. Throws CheckpointError for a type that no file of arrays has.
[[nodiscard]] at::ScalarType scalar_type_of(NumberType type);
[[nodiscard]] NumberType number_type_of(at::ScalarType type);

/// Tensors with their names, in a fixed order.
using NamedTensors = Named<at::Tensor>;

/// Returns `values`, one for each of `parameters`, under their names; they share memory.
[[nodiscard]] NamedTensors named_values(const NamedTensors& parameters, const std::vector<at::Tensor>& values);

/// Copies `saved` into `values`, one for each of `parameters`, matched by name. Throws CheckpointError, with the text
/// `lack` ("the saved ... has no ..."), for the first that is missing or of another shape.
void restore_values(const NamedTensors& parameters, const std::vector<at::Tensor>& values, const NamedTensors& saved,
                    std::string_view lack);

/// Writes `tensors` (any device and strides; F64 F32 F16 BF16 I64 I32 U8 BOOL) to `path` in the safetensors format, one
/// tensor at a time, and flushes the file to disk. The header keeps the given order; the data is ordered by falling
/// element size, so that every tensor is aligned. Not atomic: an error can leave part of the file behind. Returns the
/// digest of the written file. Throws RuntimeError if the disk refuses, CheckpointError if a tensor or name cannot be
/// stored.
FileDigest write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                             const std::map<std::string, std::string>& metadata = {});

/// Returns a tensor that shares the array's memory, or has its own if the array is in a file: writing to it never
/// changes the file.
[[nodiscard]] at::Tensor tensor_of(const StoredArray& array);
[[nodiscard]] NamedTensors tensors_of(const NamedArrays& arrays);
/// SafetensorsFile::array and ::arrays as tensors.
[[nodiscard]] at::Tensor tensor_of(const SafetensorsFile& file, const std::string& name);
[[nodiscard]] NamedTensors tensors_of(const SafetensorsFile& file);

/// Returns the values of a tensor: its own memory if it is contiguous and on the CPU, else a copy.
[[nodiscard]] StoredArray array_of(const at::Tensor& tensor);
[[nodiscard]] NamedArrays arrays_of(const NamedTensors& tensors);

}  // namespace translate::trainer
