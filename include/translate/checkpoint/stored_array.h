#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace translate {

/// Numbers of one type with a shape, in row-major order, somewhere in memory: in a mapped file of weights, in a tensor.
/// Copies share them.
struct StoredArray {
  c10::ScalarType dtype = c10::ScalarType::Float;
  std::vector<std::int64_t> shape;
  std::shared_ptr<const void> data;  ///< lives as long as its owners; aligned for the type
  bool mapped = false;               ///< whether they lie in a file's mapping

  /// How many numbers there are.
  [[nodiscard]] std::int64_t count() const;
  /// How many bytes they take.
  [[nodiscard]] std::size_t bytes() const;
};

/// Arrays with their names, in an order that is kept.
using NamedArrays = std::vector<std::pair<std::string, StoredArray>>;

/// The numbers as single precision: those of the array themselves where that is their type, else converted copies.
/// Throws CheckpointError, calling the array `name`, where they are not floating-point numbers (F64 F32 F16 BF16).
[[nodiscard]] std::shared_ptr<const float> as_floats(const StoredArray& array, const std::string& name);

/// The same in double precision, always a copy.
[[nodiscard]] std::vector<double> as_doubles(const StoredArray& array, const std::string& name);

/// Lets the system take back the memory that a mapped array's numbers were read into; they are read again where they
/// are looked at again. To be called where nothing was written to them. Does nothing for arrays that are not mapped.
void release_pages(const StoredArray& array);

/// An array of single precision that owns its numbers.
[[nodiscard]] StoredArray stored_floats(std::vector<std::int64_t> shape, std::vector<float> values);

}  // namespace translate
