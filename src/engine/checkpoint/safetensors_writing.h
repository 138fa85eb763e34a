#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "checkpoint/safetensors.h"
#include "core/output_file.h"

namespace translate {

/// Returns the numbers of a tensor, given by its place in the header, in row-major order.
using TensorNumbers = std::function<std::shared_ptr<const void>(std::size_t index)>;

/// Writes a safetensors file, one tensor at a time, and flushes it to disk. The names, types and shapes are those of
/// `header`, whose order is kept; the data is ordered by falling element size, so that every tensor is aligned. Not
/// atomic: an error can leave part of the file behind. Returns the digest of the written file. Throws RuntimeError if
/// the disk refuses, CheckpointError if a type or a name cannot be stored (see format_safetensors_header).
FileDigest write_safetensors(const std::filesystem::path& path, SafetensorsHeader header, const TensorNumbers& numbers);

/// The same for arrays; those in a file are read one at a time.
FileDigest write_safetensors(const std::filesystem::path& path, const NamedArrays& arrays,
                             const std::map<std::string, std::string>& metadata);

}  // namespace translate
