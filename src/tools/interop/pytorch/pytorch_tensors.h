#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "checkpoint/safetensors.h"
#include "interop/pytorch/pickle_reader.h"
#include "interop/pytorch/pytorch_storages.h"

namespace translate::tools {

/// Makes arrays from the storages of a `.pt` file, each read into its own memory. A tensor whose numbers stand one
/// after another there is a part of that memory, which it shares with the other tensors of the storage; any other is
/// copied into row-major order.
class PytorchTensors {
 public:
  /// `storages` must outlive this object; `file` is for messages.
  PytorchTensors(const PytorchStorages& storages, const std::filesystem::path& file);

  /// Throws CheckpointError naming `name` if the tensor does not lie within its storage, if its storage is damaged, or
  /// if the copies of this file's tensors would take far more memory than its storages.
  [[nodiscard]] StoredArray tensor(const std::string& name, const PickledTensor& pickled);

 private:
  /// The numbers of a storage.
  struct Storage {
    NumberType dtype = NumberType::kFloat32;
    std::int64_t elements = 0;
    std::shared_ptr<char[]> bytes;
  };

  [[nodiscard]] const Storage& storage(const std::string& name, const PickledStorage& pickled);
  [[nodiscard]] std::shared_ptr<const void> copied(const std::string& name, const PickledTensor& pickled,
                                                   const Storage& storage, std::int64_t values);
  [[noreturn]] void fail(const std::string& name, const std::string& what) const;

  const PytorchStorages& in_file_;
  std::filesystem::path file_;
  std::map<std::string, Storage> storages_;  ///< by key
  std::uint64_t read_bytes_ = 0;             ///< of all storages
  std::uint64_t copied_bytes_ = 0;           ///< of all tensors that were copied
};

}  // namespace translate::tools
