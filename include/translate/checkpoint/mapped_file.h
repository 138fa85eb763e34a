#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace translate {

/// A whole file in memory, copied on write: what is written there never reaches the file. The file must not change
/// while it is in use.
class MappedFile {
 public:
  /// Throws CheckpointError with the path and the system's reason; folders and devices are refused.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();

  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] char* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace translate
