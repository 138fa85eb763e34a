#include "translate/checkpoint/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "translate/core/error.h"

namespace translate {

static_assert(std::endian::native == std::endian::little, "safetensors files are little endian");

namespace {

constexpr std::uint64_t kLengthBytes = sizeof(std::uint64_t);

}  // namespace

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

StoredArray SafetensorsFile::array(const std::string& name) const {
  const auto entry = std::ranges::find(header_->tensors, name, &TensorEntry::name);
  if (entry == header_->tensors.end()) {
    throw CheckpointError(fmt::format("{}: has no tensor \"{}\"", path_.string(), name));
  }
  return view(*entry);
}

NamedArrays SafetensorsFile::arrays() const {
  NamedArrays arrays;
  for (const TensorEntry& entry : header_->tensors) {
    arrays.emplace_back(entry.name, view(entry));
  }
  return arrays;
}

StoredArray SafetensorsFile::view(const TensorEntry& entry) const {
  StoredArray array{.dtype = entry.dtype, .shape = entry.shape, .data = {}};
  const char* const bytes = mapping_->data() + data_offset_ + entry.begin;
  const std::uint64_t size = entry.end - entry.begin;
  if (reinterpret_cast<std::uintptr_t>(bytes) % c10::elementSize(entry.dtype) == 0) {
    array.data = {mapping_, bytes};
    array.mapped = true;
  } else {
    const std::shared_ptr<char[]> copy(new char[size]);
    std::copy_n(bytes, size, copy.get());
    array.data = {copy, copy.get()};
  }
  return array;
}

}  // namespace translate
