#include "tensors/tensor_file.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "checkpoint/safetensors_writing.h"
#include "core/error.h"

namespace translate::trainer {

namespace {

constexpr std::array<std::pair<NumberType, at::ScalarType>, 10> kTypes = {{
    {NumberType::kFloat64, at::kDouble},
    {NumberType::kFloat32, at::kFloat},
    {NumberType::kFloat16, at::kHalf},
    {NumberType::kBfloat16, at::kBFloat16},
    {NumberType::kInt64, at::kLong},
    {NumberType::kInt32, at::kInt},
    {NumberType::kInt16, at::kShort},
    {NumberType::kInt8, at::kChar},
    {NumberType::kUint8, at::kByte},
    {NumberType::kBool, at::kBool},
}};

SafetensorsHeader make_header(const std::filesystem::path& path, const NamedTensors& tensors,
                              const std::map<std::string, std::string>& metadata) {
  SafetensorsHeader header;
  header.metadata = metadata;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined() || tensor.layout() != at::kStrided || tensor.is_quantized()) {
      throw CheckpointError(fmt::format("{}: tensor \"{}\": only dense tensors can be stored", path.string(), name));
    }
    header.tensors.push_back(
        {.name = name, .dtype = number_type_of(tensor.scalar_type()), .shape = tensor.sizes().vec()});
  }
  return header;
}

}  // namespace

at::ScalarType scalar_type_of(NumberType type) {
  return std::ranges::find(kTypes, type, &std::pair<NumberType, at::ScalarType>::first)->second;
}

NumberType number_type_of(at::ScalarType type) {
  const auto* const known = std::ranges::find(kTypes, type, &std::pair<NumberType, at::ScalarType>::second);
  if (known == kTypes.end()) {
    throw CheckpointError(fmt::format("numbers of type {} cannot be stored", c10::toString(type)));
  }
  return known->first;
}

NamedTensors named_values(const NamedTensors& parameters, const std::vector<at::Tensor>& values) {
  NamedTensors result;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    result.emplace_back(parameters[i].first, values[i]);
  }
  return result;
}

void restore_values(const NamedTensors& parameters, const std::vector<at::Tensor>& values, const NamedTensors& saved,
                    std::string_view lack) {
  const at::NoGradGuard no_grad;
  const std::map<std::string, at::Tensor> by_name(saved.begin(), saved.end());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto found = by_name.find(parameters[i].first);
    if (found == by_name.end() || found->second.sizes() != values[i].sizes()) {
      throw CheckpointError(fmt::format("{} for {} of the model's shape", lack, parameters[i].first));
    }
    values[i].copy_(found->second);
  }
}

FileDigest write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                             const std::map<std::string, std::string>& metadata) {
  return write_safetensors(path, make_header(path, tensors, metadata),
                           [&](std::size_t index) { return array_of(tensors[index].second).numbers(); });
}

at::Tensor tensor_of(const StoredArray& array) {
  // An array that was read from a file belongs to this tensor alone; nobody else reads a vector's numbers once they
  // belong to a tensor.
  auto numbers = array.numbers();
  void* const data = const_cast<void*>(numbers.get());
  return at::from_blob(
      data, array.shape, [owner = std::move(numbers)](void*) {},
      at::TensorOptions().dtype(scalar_type_of(array.dtype)));
}

NamedTensors tensors_of(const NamedArrays& arrays) {
  NamedTensors tensors;
  for (const auto& [name, array] : arrays) {
    tensors.emplace_back(name, tensor_of(array));
  }
  return tensors;
}

at::Tensor tensor_of(const SafetensorsFile& file, const std::string& name) { return tensor_of(file.array(name)); }

NamedTensors tensors_of(const SafetensorsFile& file) { return tensors_of(file.arrays()); }

StoredArray array_of(const at::Tensor& tensor) {
  const auto owner = std::make_shared<const at::Tensor>(tensor.detach().cpu().contiguous());
  return {.dtype = number_type_of(owner->scalar_type()),
          .shape = owner->sizes().vec(),
          .data = {owner, owner->const_data_ptr()},
          .file = {}};
}

NamedArrays arrays_of(const NamedTensors& tensors) {
  NamedArrays arrays;
  for (const auto& [name, tensor] : tensors) {
    arrays.emplace_back(name, array_of(tensor));
  }
  return arrays;
}

}  // namespace translate::trainer
