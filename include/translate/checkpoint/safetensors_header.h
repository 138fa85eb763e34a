#pragma once

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace translate {

/// Where one tensor stands in a safetensors file. Offsets are in bytes from the end of the header.
struct TensorEntry {
  std::string name;
  c10::ScalarType dtype = c10::ScalarType::Float;
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

/// Parses and checks a header: JSON without double keys, known dtypes (F64 F32 F16 BF16 I64 I32 U8 BOOL), shapes that
/// agree with the byte ranges, and ranges that cover the `data_bytes` after the header without overlap or gap.
/// Throws CheckpointError naming `file` and the tensor.
[[nodiscard]] SafetensorsHeader parse_safetensors_header(std::string_view json, std::uint64_t data_bytes,
                                                         const std::filesystem::path& file);

/// The header's JSON text, padded with spaces so that the data after it (8 length bytes first) starts at a multiple
/// of 8. Throws CheckpointError naming `file` where a dtype cannot be stored or a name is not UTF-8, reserved or given
/// twice.
[[nodiscard]] std::string format_safetensors_header(const SafetensorsHeader& header, const std::filesystem::path& file);

}  // namespace translate
