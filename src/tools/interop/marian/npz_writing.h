#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "interop/marian/npz_file.h"

namespace translate::tools {

/// An array and its name in an archive, without ".npy".
struct NamedNpyArray {
  std::string name;
  NpyArray array;
};

/// Writes an .npz archive as Marian's reader of NumPy files expects it: without compression, version 1 of the arrays'
/// format, little-endian, row-major. Throws RuntimeError if libzip is not installed, or if the disk refuses.
void write_npz(const std::filesystem::path& archive, const std::vector<NamedNpyArray>& arrays);

}  // namespace translate::tools
