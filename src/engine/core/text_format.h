#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace translate {

/// The bytes at the beginning of a file that other_format looks at.
inline constexpr std::size_t kFormatBytes = 512;

/// Returns the format of a file that is no plain text in UTF-8, by its first bytes, and how to make such text of it:
/// "is compressed by xz; unpack it: xz -dk". Knows compressed files, archives, UTF-16 and UTF-32; returns nothing for
/// anything else.
[[nodiscard]] std::optional<std::string> other_format(std::string_view beginning);

/// What a file holds other files in, or text in a packed form.
enum class Container {
  kNone,
  kPacked,  ///< the bytes of one file: gzip, xz, zstd, bzip2, lz4
  kZip,     ///< a zip archive with files
  kTar
};

/// Returns the container that a file is, by its first bytes.
[[nodiscard]] Container container_of(std::string_view beginning);

}  // namespace translate
