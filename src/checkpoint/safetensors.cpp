#include "translate/checkpoint/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "translate/core/error.h"

namespace translate {

static_assert(std::endian::native == std::endian::little, "safetensors files are little endian");

namespace {

constexpr std::uint64_t kLengthBytes = sizeof(std::uint64_t);

}  // namespace

SafetensorsFile::SafetensorsFile(StableFile file) : file_(std::make_shared<const StableFile>(std::move(file))) {
  const std::uint64_t size = file_->size();
  std::uint64_t header_bytes = 0;
  if (size < kLengthBytes) {
    throw CheckpointError(
        fmt::format("{}: truncated: {} bytes, too short for a safetensors file", path().string(), size));
  }
  file_->read(0, {reinterpret_cast<char*>(&header_bytes), kLengthBytes});
  if (header_bytes > kMaxSafetensorsHeader || header_bytes > size - kLengthBytes) {
    throw CheckpointError(
        fmt::format("{}: truncated, damaged or not a safetensors file: a header of {} bytes in a file of {} bytes",
                    path().string(), header_bytes, size));
  }
  data_offset_ = kLengthBytes + header_bytes;
  std::string json(header_bytes, '\0');
  file_->read(kLengthBytes, json);
  header_ = std::make_shared<const SafetensorsHeader>(parse_safetensors_header(json, size - data_offset_, path()));
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
    throw CheckpointError(fmt::format("{}: has no tensor \"{}\"", path().string(), name));
  }
  return stored(*entry);
}

NamedArrays SafetensorsFile::arrays() const {
  NamedArrays arrays;
  for (const TensorEntry& entry : header_->tensors) {
    arrays.emplace_back(entry.name, stored(entry));
  }
  return arrays;
}

StoredArray SafetensorsFile::stored(const TensorEntry& entry) const {
  return {.dtype = entry.dtype, .shape = entry.shape, .data = {}, .file = file_, .offset = data_offset_ + entry.begin};
}

}  // namespace translate
