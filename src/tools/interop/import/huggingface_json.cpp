#include "interop/import/huggingface_json.h"

#include "checkpoint/manifest.h"
#include "core/error.h"
#include "core/regular_file.h"

namespace translate::tools {

JsonValue read_huggingface_json(const std::filesystem::path& file) {
  std::error_code ignored;
  const bool is_there = std::filesystem::exists(file, ignored);
  return JsonValue(is_there ? parse_json_object(read_regular_file(file), file).json() : Json::object(),
                   {.name = file.string(), .raise = &throw_error<CheckpointError>, .null_is_missing = true});
}

}  // namespace translate::tools
