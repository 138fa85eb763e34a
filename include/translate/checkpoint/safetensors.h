#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "translate/checkpoint/safetensors_header.h"
#include "translate/checkpoint/stored_array.h"
#include "translate/core/mapped_file.h"

namespace translate {

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

  /// The tensor's numbers as they lie in the mapping, which lives as long as they are in use; a copy where the file has
  /// them at an address their type cannot be read from. Throws CheckpointError where the file has no such tensor.
  [[nodiscard]] StoredArray array(const std::string& name) const;

  /// All tensors, as `array` gives them, in the order of the header.
  [[nodiscard]] NamedArrays arrays() const;

 private:
  [[nodiscard]] StoredArray view(const TensorEntry& entry) const;

  std::filesystem::path path_;
  std::shared_ptr<const MappedFile> mapping_;
  std::shared_ptr<const SafetensorsHeader> header_;
  std::uint64_t data_offset_ = 0;  ///< where the data starts in the file
};

}  // namespace translate
