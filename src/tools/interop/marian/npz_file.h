#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "interop/archive/zip_archive.h"

namespace translate::tools {

/// An array of a NumPy archive (numpy.lib.format, version 1 and 2).
struct NpyArray {
  std::string type;                 ///< NumPy's: "<f4" (floats), "|u1", "|i1", ...
  std::vector<std::int64_t> shape;  ///< row-major
  std::string bytes;                ///< the numbers, little-endian

  /// The number of elements.
  [[nodiscard]] std::int64_t count() const;
  /// The numbers of an array of floats. Throws CheckpointError, calling it `name`, if it has another type.
  [[nodiscard]] std::vector<float> floats(const std::string& name) const;
};

/// Parses the content of a .npy file. Throws CheckpointError, calling it `name`, if it is damaged, in Fortran's order
/// or of a type that is not plain numbers.
[[nodiscard]] NpyArray parse_npy(std::string_view content, const std::string& name);

/// Reads all arrays of an .npz archive, by their names without ".npy". Throws CheckpointError as parse_npy does, naming
/// the archive and the array.
[[nodiscard]] std::map<std::string, NpyArray> read_npz(const ZipArchive& archive);

}  // namespace translate::tools
