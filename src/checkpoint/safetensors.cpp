#include "translate/checkpoint/safetensors.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/ScalarType.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>

#include "translate/core/error.h"

namespace translate {

static_assert(std::endian::native == std::endian::little, "safetensors files are little endian");

namespace {

constexpr std::uint64_t kLengthBytes = sizeof(std::uint64_t);

/// Gives each tensor its place: larger elements first, so that every tensor starts at a multiple of its element's size.
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
  file.write(std::string_view(reinterpret_cast<const char*>(&length), kLengthBytes));
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

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path)
    : path_(path), mapping_(std::make_shared<const MappedFile>(path)) {
  const std::uint64_t size = mapping_->size();
  std::uint64_t header_bytes = 0;
  if (size < kLengthBytes) {
    throw CheckpointError(
        fmt::format("{}: truncated: {} bytes, too short for a safetensors file", path.string(), size));
  }
  std::memcpy(&header_bytes, mapping_->data(), kLengthBytes);
  if (header_bytes > kMaxSafetensorsHeader || header_bytes > size - kLengthBytes) {
    throw CheckpointError(
        fmt::format("{}: truncated, damaged or not a safetensors file: a header of {} bytes in a file of {} bytes",
                    path.string(), header_bytes, size));
  }
  data_offset_ = kLengthBytes + header_bytes;
  const std::string_view json(mapping_->data() + kLengthBytes, header_bytes);
  header_ = std::make_shared<const SafetensorsHeader>(parse_safetensors_header(json, size - data_offset_, path));
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> names;
  for (const TensorEntry& entry : header_->tensors) {
    names.push_back(entry.name);
  }
  return names;
}

bool SafetensorsFile::contains(const std::string& name) const {
  return std::ranges::find(header_->tensors, name, &TensorEntry::name) != header_->tensors.end();
}

at::Tensor SafetensorsFile::tensor(const std::string& name) const {
  const auto entry = std::ranges::find(header_->tensors, name, &TensorEntry::name);
  if (entry == header_->tensors.end()) {
    throw CheckpointError(fmt::format("{}: has no tensor \"{}\"", path_.string(), name));
  }
  return view(*entry);
}

NamedTensors SafetensorsFile::tensors() const {
  NamedTensors tensors;
  for (const TensorEntry& entry : header_->tensors) {
    tensors.emplace_back(entry.name, view(entry));
  }
  return tensors;
}

at::Tensor SafetensorsFile::view(const TensorEntry& entry) const {
  const auto options = at::TensorOptions().dtype(entry.dtype);
  char* const bytes = mapping_->data() + data_offset_ + entry.begin;
  const std::uint64_t size = entry.end - entry.begin;
  const bool aligned = reinterpret_cast<std::uintptr_t>(bytes) % c10::elementSize(entry.dtype) == 0;
  if (size == 0 || !aligned) {
    at::Tensor copy = at::empty(entry.shape, options);
    if (size > 0) {
      std::memcpy(copy.data_ptr(), bytes, size);
    }
    return copy;
  }
  return at::from_blob(
      bytes, entry.shape, [mapping = mapping_](void*) {}, options);
}

}  // namespace translate
