#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "translate/core/stable_file.h"

namespace translate {

/// Numbers of one type with a shape, in row-major order: in memory, or in a file from which they are read when they are
/// looked at. Copies share them.
struct StoredArray {
  c10::ScalarType dtype = c10::ScalarType::Float;
  std::vector<std::int64_t> shape;
  std::shared_ptr<const void> data;        ///< lives as long as its owners; aligned for the type; null: in `file`
  std::shared_ptr<const StableFile> file;  ///< looked at where `data` is null
  std::uint64_t offset = 0;                ///< where the numbers begin in the file, in bytes

  /// The numbers, which live as long as the pointer. Those in a file are read into memory of their own each time, so
  /// that nobody else sees what is written to them. Throws RuntimeError where the file cannot be read or has changed
  /// since it was opened.
  [[nodiscard]] std::shared_ptr<const void> numbers() const;
  /// Reads the numbers of an array in a file into `to`, of bytes(). Throws as numbers() does.
  void read(std::span<char> to) const;

  /// How many numbers there are.
  [[nodiscard]] std::int64_t count() const;
  /// How many bytes they take.
  [[nodiscard]] std::size_t bytes() const;
};

/// Arrays with their names, in an order that is kept.
using NamedArrays = std::vector<std::pair<std::string, StoredArray>>;

/// The numbers as single precision: StoredArray::numbers() where that is their type, else converted copies.
/// Throws CheckpointError, calling the array `name`, where they are not floating-point numbers (F64 F32 F16 BF16).
[[nodiscard]] std::shared_ptr<const float> as_floats(const StoredArray& array, const std::string& name);

/// The same in double precision, always a copy.
[[nodiscard]] std::vector<double> as_doubles(const StoredArray& array, const std::string& name);

/// An array of single precision that owns its numbers.
[[nodiscard]] StoredArray stored_floats(std::vector<std::int64_t> shape, std::vector<float> values);

}  // namespace translate
