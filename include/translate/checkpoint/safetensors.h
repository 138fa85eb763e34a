#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "translate/checkpoint/safetensors_header.h"
#include "translate/core/mapped_file.h"
#include "translate/core/output_file.h"

namespace translate {

/// Tensors with their names, in an order that is kept.
using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

/// Writes `tensors` (any device and layout of strides; F64 F32 F16 BF16 I64 I32 U8 BOOL) to `path` in the safetensors
/// format, one tensor at a time, and flushes the file to disk. The header keeps the given order; the data is laid out
/// by falling element size, so that every tensor is aligned. Not atomic: an error can leave part of the file behind.
/// Returns what was written. Throws RuntimeError where the disk refuses, CheckpointError where a tensor or name cannot
/// be stored.
FileDigest write_safetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                             const std::map<std::string, std::string>& metadata = {});

/// A safetensors file mapped into memory. Copies share the mapping. The file must not change while it is in use.
class SafetensorsFile {
 public:
  /// Maps the file and checks its header (see parse_safetensors_header). Throws CheckpointError naming file and tensor,
  /// RuntimeError where the file cannot be read at all.
  explicit SafetensorsFile(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// The names, in the order of the header.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return header_->metadata; }
  [[nodiscard]] bool contains(const std::string& name) const;

  /// A view of the tensor's bytes in the mapping, which lives as long as the view does; a copy where the file has it at
  /// an address its type cannot be read from. Writing to it is allowed and never reaches the file.
  /// Throws CheckpointError where the file has no such tensor.
  [[nodiscard]] at::Tensor tensor(const std::string& name) const;

  /// All tensors, as `tensor` gives them, in the order of the header.
  [[nodiscard]] NamedTensors tensors() const;

 private:
  [[nodiscard]] at::Tensor view(const TensorEntry& entry) const;

  std::filesystem::path path_;
  std::shared_ptr<const MappedFile> mapping_;
  std::shared_ptr<const SafetensorsHeader> header_;
  std::uint64_t data_offset_ = 0;  ///< where the data starts in the file
};

}  // namespace translate
