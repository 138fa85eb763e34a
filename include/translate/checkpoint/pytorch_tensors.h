#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

#include "translate/checkpoint/pickle_value.h"
#include "translate/checkpoint/zip_archive.h"

namespace translate {

/// Makes tensors from the storages of a `.pt` file, read into memory of their own; tensors that shared a storage share
/// it here too.
class PytorchTensors {
 public:
  /// `archive` must outlive this object; its entries `<folder>data/<key>` are the storages. `file` is for messages.
  PytorchTensors(const ZipArchive& archive, std::string folder, const std::filesystem::path& file);

  /// Throws CheckpointError naming `name` where the tensor does not lie within its storage, or its storage is damaged.
  [[nodiscard]] at::Tensor tensor(const std::string& name, const PickledTensor& pickled);

 private:
  [[nodiscard]] at::Tensor storage(const std::string& name, const PickledStorage& pickled);
  [[noreturn]] void fail(const std::string& name, const std::string& what) const;

  const ZipArchive& archive_;
  std::string folder_;
  std::filesystem::path file_;
  std::map<std::string, at::Tensor> storages_;  ///< by key, (elements)
};

}  // namespace translate
