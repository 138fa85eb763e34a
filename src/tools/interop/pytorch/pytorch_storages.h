#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace translate::tools {

/// The storages of a file of `torch.save`, by the keys that its pickle gives them.
class PytorchStorages {
 public:
  PytorchStorages() = default;
  virtual ~PytorchStorages() = default;
  PytorchStorages(const PytorchStorages&) = delete;
  PytorchStorages& operator=(const PytorchStorages&) = delete;

  /// The size of a storage in bytes. Throws CheckpointError if there is none.
  [[nodiscard]] virtual std::uint64_t size(const std::string& key) const = 0;

  /// Reads a storage into `to`, of that size. Throws CheckpointError if it is damaged, RuntimeError if the file cannot
  /// be read or changes meanwhile.
  virtual void read(const std::string& key, std::span<char> to) const = 0;
};

}  // namespace translate::tools
