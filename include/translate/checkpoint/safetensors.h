#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "translate/checkpoint/safetensors_header.h"
#include "translate/checkpoint/stored_array.h"
#include "translate/core/stable_file.h"

namespace translate {

/// An open safetensors file, whose tensors are read when they are looked at. Copies share it.
class SafetensorsFile {
 public:
  /// Opens the file and checks its header (see parse_safetensors_header). Throws CheckpointError naming file and
  /// tensor, RuntimeError where the file cannot be read at all.
  explicit SafetensorsFile(const std::filesystem::path& path) : SafetensorsFile(StableFile(path)) {}
  explicit SafetensorsFile(StableFile file);

  [[nodiscard]] const std::filesystem::path& path() const { return file_->path(); }

  /// The names, in the order of the header.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return header_->metadata; }
  [[nodiscard]] bool contains(const std::string& name) const;

  /// The tensor, whose numbers stay in the file until StoredArray::numbers() reads them. Throws CheckpointError where
  /// the file has no such tensor.
  [[nodiscard]] StoredArray array(const std::string& name) const;

  /// All tensors, as `array` gives them, in the order of the header.
  [[nodiscard]] NamedArrays arrays() const;

 private:
  [[nodiscard]] StoredArray stored(const TensorEntry& entry) const;

  std::shared_ptr<const StableFile> file_;
  std::shared_ptr<const SafetensorsHeader> header_;
  std::uint64_t data_offset_ = 0;  ///< where the data starts in the file
};

}  // namespace translate
