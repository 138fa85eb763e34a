#include "checkpoint/safetensors_writing.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string_view>
#include <vector>

namespace translate {

namespace {

/// The size of a tensor's numbers in bytes.
std::uint64_t byte_count(const TensorEntry& entry) {
  return StoredArray{.dtype = entry.dtype, .shape = entry.shape, .data = {}, .file = {}}.bytes();
}

/// Assigns the offsets of the tensors and returns their order in the file: larger elements first, so that every tensor
/// starts at a multiple of its element's size.
std::vector<std::size_t> lay_out(std::vector<TensorEntry>& entries) {
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t index) { return bytes_of(entries[index].dtype); });
  std::uint64_t offset = 0;
  for (const std::size_t index : order) {
    entries[index].begin = offset;
    entries[index].end = offset += byte_count(entries[index]);
  }
  return order;
}

}  // namespace

FileDigest write_safetensors(const std::filesystem::path& path, SafetensorsHeader header,
                             const TensorNumbers& numbers) {
  const auto order = lay_out(header.tensors);
  const std::string json = format_safetensors_header(header, path);
  const std::uint64_t length = json.size();
  OutputFile file(path);
  file.write(std::string_view(reinterpret_cast<const char*>(&length), sizeof(length)));
  file.write(json);
  for (const std::size_t index : order) {
    const auto data = numbers(index);
    file.write(std::string_view(static_cast<const char*>(data.get()), byte_count(header.tensors[index])));
  }
  return file.finish();
}

FileDigest write_safetensors(const std::filesystem::path& path, const NamedArrays& arrays,
                             const std::map<std::string, std::string>& metadata) {
  SafetensorsHeader header{.tensors = {}, .metadata = metadata};
  for (const auto& [name, array] : arrays) {
    header.tensors.push_back({.name = name, .dtype = array.dtype, .shape = array.shape});
  }
  return write_safetensors(path, std::move(header), [&](std::size_t index) { return arrays[index].second.numbers(); });
}

}  // namespace translate
