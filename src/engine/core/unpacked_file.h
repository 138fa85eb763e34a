#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

struct z_stream_s;  // zlib's

namespace translate {

/// The most bytes of a line of text. A longer one comes from a device without an end, or from a file that is no text;
/// lines are held in memory as a whole.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 26U;

/// Returns what is wrong with a longer line, for messages that name file and line.
[[nodiscard]] std::string longest_line_text();

/// The first bytes of gzip data.
inline constexpr std::string_view kGzipBegin = "\x1F\x8B";

/// gzip data that is damaged or ends too early; the message says which.
class GzipFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The bytes of an open file, pipe or device, unpacked if they are gzip (by the first two bytes, not the name): several
/// members, one after the other, and zero bytes after the last one are allowed.
class UnpackedFile {
 public:
  /// `descriptor` must stay open; its first byte is that of the data.
  explicit UnpackedFile(int descriptor);
  ~UnpackedFile();
  UnpackedFile(const UnpackedFile&) = delete;
  UnpackedFile& operator=(const UnpackedFile&) = delete;

  /// Reads the next bytes, and returns their number; 0 at the end of the data. Waits only until there is one. Throws
  /// std::system_error if the file cannot be read, GzipFault.
  [[nodiscard]] std::size_t read(std::span<char> to);

  /// Skips the next bytes: by a seek in a plain file that can seek, otherwise by reading them. Throws as read() does.
  void skip(std::uint64_t bytes);

  /// Whether the data is packed.
  [[nodiscard]] bool is_packed();

  /// The number of bytes read from the file so far, packed ones where it is packed.
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

 private:
  void begin();
  std::size_t read_file(std::span<char> to);
  std::size_t unpack(std::span<char> to);
  bool begin_member();

  int descriptor_;
  bool begun_ = false;
  std::uint64_t taken_ = 0;
  std::string buffer_;                  ///< bytes of the file
  std::string_view unread_;             ///< the rest of them
  std::unique_ptr<z_stream_s> stream_;  ///< set if the data is packed
  bool inside_member_ = false;
};

/// Returns the size of a regular file's text, for which a packed file is unpacked once. Throws std::system_error,
/// GzipFault.
[[nodiscard]] std::uint64_t unpacked_size(const std::filesystem::path& path);

}  // namespace translate
