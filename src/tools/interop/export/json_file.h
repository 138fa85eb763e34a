#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace translate::tools {

/// Writes JSON as people read it, indented by 2, and flushes it to disk. Throws CheckpointError naming the file if a
/// string is not UTF-8, RuntimeError if the disk refuses. `nlohmann::json`, whose keys are sorted, is for large
/// objects: `ordered_json` takes quadratic time to fill.
void write_json_file(const std::filesystem::path& file, const nlohmann::ordered_json& json);
void write_json_file(const std::filesystem::path& file, const nlohmann::json& json);

}  // namespace translate::tools
