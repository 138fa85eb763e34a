#include "tensors/tensor_file.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/ScalarType.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace translate {

namespace {

/// Assigns the offsets of the tensors: larger elements first, so that every tensor starts at a multiple of its
/// element's size.
void lay_out(std::vector<TensorEntry>& entries) {
  std::vector<TensorEntry*> order;
  for (TensorEntry& entry : entries) {
    order.push_back(&entry);
  }
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [](const TensorEntry* entry) { return c10::elementSize(entry->dtype); });
  std::uint64_t offset = 0;
  for (TensorEntry* entry : order) {
    const std::uint64_t bytes = entry->end;
    entry->begin = offset;
    entry->end = offset += bytes;
  }
}

SafetensorsHeader make_header(const std::filesystem::path& path, const NamedTensors& tensors,
                              const std::map<std::string, std::string>& metadata) {
  SafetensorsHeader header;
  header.metadata = metadata;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined() || tensor.layout() != at::kStrided || tensor.is_quantized()) {
      throw CheckpointError(fmt::format("{}: tensor \"{}\": only dense tensors can be stored", path.string(), name));
    }
    header.tensors.push_back({.name = name,
                              .dtype = tensor.scalar_type(),
                              .shape = tensor.sizes().vec(),
                              .begin = 0,
                              .end = tensor.nbytes()});
  }
  lay_out(header.tensors);
  return header;
}

}  // namespace

FileDigest write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                             const std::map<std::string, std::string>& metadata) {
  const SafetensorsHeader header = make_header(path, tensors, metadata);
  const std::string json = format_safetensors_header(header, path);
  const std::uint64_t length = json.size();
  OutputFile file(path);
  file.write(std::string_view(reinterpret_cast<const char*>(&length), sizeof(length)));
  file.write(json);
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t index) { return header.tensors[index].begin; });
  for (const std::size_t index : order) {
    const at::Tensor tensor = tensors[index].second.detach().cpu().contiguous();
    file.write(std::string_view(static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()));
  }
  return file.finish();
}

at::Tensor tensor_of(const StoredArray& array) {
  // An array that was read from a file belongs to this tensor alone; nobody else reads a vector's numbers once they
  // belong to a tensor.
  auto numbers = array.numbers();
  void* const data = const_cast<void*>(numbers.get());
  return at::from_blob(
      data, array.shape, [owner = std::move(numbers)](void*) {}, at::TensorOptions().dtype(array.dtype));
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
  return {.dtype = owner->scalar_type(),
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

}  // namespace translate
