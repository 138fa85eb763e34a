#pragma once

#include <filesystem>

#include "config/json_value.h"

namespace translate::tools {

/// The JSON object in a file of a folder of transformers, or an empty one if there is no such file. Members that are
/// null count as missing, and errors about values are CheckpointErrors. Throws CheckpointError if the file is damaged,
/// RuntimeError if it cannot be read.
[[nodiscard]] JsonValue read_huggingface_json(const std::filesystem::path& file);

/// A size: at least 1.
inline constexpr NumberRange kAnySize = between(1, std::int64_t{1} << 31U);

}  // namespace translate::tools
