// A checkpoint's manifest.json, as it is and with its own sum corrected, and the files that it names.

#include "checkpoint/manifest.h"

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "fuzz/fuzz_input.h"

namespace {

using namespace translate;

void read(const std::filesystem::path& folder) {
  fuzz::allow<CheckpointError>([&] {
    const auto manifest = read_manifest(folder);
    (void)tokenizer_file(manifest, kSourceTokenizer);
    (void)tokenizer_file(manifest, kTargetTokenizer);
    (void)verify_files(folder, manifest, Verify::kFull);
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Setting setting;
  const auto input = fuzz::text_of(data, size);
  (void)setting.file(kModelFile, "weights");
  (void)setting.file(kConfigFile, "{}");
  const auto file = setting.file(kManifestFile, input);
  read(setting.folder());
  auto json = nlohmann::ordered_json::parse(input, nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) {
    fuzz::allow<CheckpointError>([&] {
      json.erase("manifest_crc32");
      json["manifest_crc32"] = crc32(json_to_text(json, file));
      (void)setting.file(kManifestFile, json.dump());
      read(setting.folder());
    });
  }
  return 0;
}
