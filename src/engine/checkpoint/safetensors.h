#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checkpoint/number_type.h"
#include "core/stable_file.h"

namespace translate {

/// Numbers of one type with a shape, in row-major order: in memory, or in a file, from which they are read when they
/// are accessed. Copies share them.
struct StoredArray {
  NumberType dtype = NumberType::kFloat32;
  std::vector<std::int64_t> shape;
  std::shared_ptr<const void> data;        ///< lives as long as its owners; aligned for the type; null: in `file`
  std::shared_ptr<const StableFile> file;  ///< used if `data` is null
  std::uint64_t offset = 0;                ///< offset of the numbers in the file, in bytes

  /// The numbers, which live as long as the pointer. Numbers in a file are read into fresh memory each time, so that
  /// nobody else sees changes to them. Throws RuntimeError if the file cannot be read or has changed since it was
  /// opened.
  [[nodiscard]] std::shared_ptr<const void> numbers() const;
  /// Reads the numbers of an array in a file into `to`, of bytes() bytes. Throws as numbers() does.
  void read(std::span<char> to) const;

  /// The number of elements.
  [[nodiscard]] std::int64_t count() const;
  /// Their size in bytes.
  [[nodiscard]] std::size_t bytes() const;
};

/// Arrays with their names, in a fixed order; the trainer's are LibTorch's tensors.
template <typename Array>
using Named = std::vector<std::pair<std::string, Array>>;
using NamedArrays = Named<StoredArray>;

/// Returns the numbers in single precision: StoredArray::numbers() if that is their type, otherwise a converted copy.
/// Throws CheckpointError, calling the array `name`, if they are not floating-point numbers (F64 F32 F16 BF16).
[[nodiscard]] std::shared_ptr<const float> as_floats(const StoredArray& array, const std::string& name);

/// The same in double precision, always a copy.
[[nodiscard]] std::vector<double> as_doubles(const StoredArray& array, const std::string& name);

/// An array of single precision that owns its numbers.
[[nodiscard]] StoredArray stored_floats(std::vector<std::int64_t> shape, std::vector<float> values);

/// The position of one tensor in a safetensors file. Offsets are in bytes from the end of the header.
struct TensorEntry {
  std::string name;
  NumberType dtype = NumberType::kFloat32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The decoded JSON header of a safetensors file, tensors in the order of the JSON text.
struct SafetensorsHeader {
  std::vector<TensorEntry> tensors;
  std::map<std::string, std::string> metadata;
};

/// Largest header that is read or written, in bytes (the limit of the format's reference implementation).
inline constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

/// Parses and checks a header: JSON without duplicate keys, known dtypes (F64 F32 F16 BF16 I64 I32 U8 BOOL), shapes
/// that agree with the byte ranges, and ranges that cover the `data_bytes` after the header without overlap or gap.
/// Throws CheckpointError naming `file` and the tensor.
[[nodiscard]] SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_bytes,
                                                         const std::filesystem::path& file);

/// Returns the header's JSON text, padded with spaces so that the data after it (8 length bytes first) starts at a
/// multiple of 8. Throws CheckpointError naming `file` if a dtype cannot be stored or a name is not UTF-8, reserved or
/// given twice.
[[nodiscard]] std::string format_safetensors_header(const SafetensorsHeader& header, const std::filesystem::path& file);

/// An open safetensors file, whose tensors are read when they are accessed. Copies share it.
class SafetensorsFile {
 public:
  /// Opens the file and checks its header (see parse_safetensors_header). Throws CheckpointError naming file and
  /// tensor, RuntimeError if the file cannot be read at all.
  explicit SafetensorsFile(const std::filesystem::path& path) : SafetensorsFile(StableFile(path)) {}
  explicit SafetensorsFile(StableFile file);

  [[nodiscard]] const std::filesystem::path& path() const { return file_->path(); }

  /// The names, in the order of the header.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return header_->metadata; }
  [[nodiscard]] bool contains(const std::string& name) const;

  /// The tensor, whose numbers stay in the file until StoredArray::numbers() reads them. Throws CheckpointError if the
  /// file has no such tensor.
  [[nodiscard]] StoredArray array(const std::string& name) const;

  /// All tensors, as `array` gives them, in the order of the header.
  [[nodiscard]] NamedArrays arrays() const;

 private:
  [[nodiscard]] StoredArray stored(const TensorEntry& entry) const;

  std::shared_ptr<const StableFile> file_;
  std::shared_ptr<const SafetensorsHeader> header_;
  std::uint64_t data_offset_ = 0;  ///< where the data starts in the file
};

}  // namespace translate
