#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "translate/checkpoint/pickle_value.h"
#include "translate/checkpoint/zip_archive.h"
#include "translate/core/mapped_file.h"

namespace translate {

/// Makes tensors from the storages of a mapped `.pt` file: views of the mapping, which lives as long as they do, and
/// tensors that shared a storage share it here too. Writing to them is allowed and never reaches the file.
class PytorchTensors {
 public:
  /// `archive` reads from `mapping` and must outlive this object; its entries `<folder>data/<key>` are the storages.
  PytorchTensors(std::shared_ptr<const MappedFile> mapping, const ZipArchive& archive, std::string folder,
                 const std::filesystem::path& file);

  /// Throws CheckpointError naming `name` where the tensor does not lie within its storage, or its storage is damaged.
  [[nodiscard]] at::Tensor tensor(const std::string& name, const PickledTensor& pickled);

 private:
  [[nodiscard]] at::Tensor storage(const std::string& name, const PickledStorage& pickled);
  [[noreturn]] void fail(const std::string& name, const std::string& what) const;

  std::shared_ptr<const MappedFile> mapping_;
  const ZipArchive& archive_;
  std::string folder_;
  std::filesystem::path file_;
  std::map<std::string, at::Tensor> storages_;  ///< by key, (elements)
};

}  // namespace translate
