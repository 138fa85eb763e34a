#include "interop/export/json_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "core/file.h"

namespace translate::tools {

namespace {

template <class Json>
void write(const std::filesystem::path& file, const Json& json) {
  std::string text;
  try {
    text = json.dump(/*indent=*/2) + "\n";
  } catch (const typename Json::exception& error) {
    throw CheckpointError(fmt::format("{}: cannot be written as JSON: {}", file.string(), error.what()));
  }
  write_file_synced(file, text);
}

}  // namespace

void write_json_file(const std::filesystem::path& file, const nlohmann::ordered_json& json) { write(file, json); }
void write_json_file(const std::filesystem::path& file, const nlohmann::json& json) { write(file, json); }

}  // namespace translate::tools
