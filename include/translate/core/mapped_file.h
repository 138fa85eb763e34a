#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace translate {

/// What may be done with the bytes of a mapped file.
enum class MappedAccess {
  kCopyOnWrite,  ///< they may be written; what is written never reaches the file
  kReadOnly      ///< writing them ends the process; costs no memory of this process, whatever the file's size
};

/// A whole file in memory. The file must not change while it is in use.
class MappedFile {
 public:
  /// Throws RuntimeError with the path and the system's reason; folders and devices are refused.
  explicit MappedFile(const std::filesystem::path& path, MappedAccess access = MappedAccess::kCopyOnWrite);
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
