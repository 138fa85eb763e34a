#include "interop/marian/npz_writing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string>
#include <utility>

#include "interop/archive/zip_writing.h"

namespace translate::tools {

namespace {

/// Returns the content of an .npy file (numpy.lib.format). The header is padded so that the numbers begin at a multiple
/// of 64 bytes.
std::string npy_of(const NpyArray& array) {
  constexpr std::size_t kAlignment = 64;
  constexpr std::size_t kBeforeHeader = 10;
  // One size has a comma behind it, as Python's tuples do; by that Marian tells how many there are.
  auto header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", array.type,
                            fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
  const auto used = kBeforeHeader + header.size() + 1;
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string content("\x93NUMPY\x01\x00", 8);
  content += static_cast<char>(header.size() % 256);
  content += static_cast<char>(header.size() / 256);
  return content + header + array.bytes;
}

}  // namespace

void write_npz(const std::filesystem::path& archive, const std::vector<NamedNpyArray>& arrays) {
  std::vector<ZipFile> files;
  for (const auto& [name, array] : arrays) {
    files.push_back({.name = name + ".npy", .content = npy_of(array)});
  }
  write_stored_zip(archive, files);
}

}  // namespace translate::tools
