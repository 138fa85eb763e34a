#include "interop/export/json_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"

namespace translate {

void write_json_file(const std::filesystem::path& file, const nlohmann::ordered_json& json) {
  std::string text;
  try {
    text = json.dump(/*indent=*/2) + "\n";
  } catch (const nlohmann::ordered_json::exception& error) {
    throw CheckpointError(fmt::format("{}: cannot be written as JSON: {}", file.string(), error.what()));
  }
  write_file_synced(file, text);
}

}  // namespace translate
